package io.egress.acceptance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.egress.webhook.send.WebhookSignature;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** Posts requests that a well-behaved HTTP client would refuse to send. */
record RawPost(int port) {
  /** Instead of a status, when the receiver hung up. */
  static final int CUT_OFF = 0;

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The status of the answer; without a signature the header is missing. */
  int send(@Nullable String signature, byte[] body) throws IOException {
    return sendWith(headers(signature), body);
  }

  /** Compresses {@code body} and signs what it sends. */
  int sendCompressed(String secret, byte[] body) throws IOException {
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(sent)) {
      gzip.write(body);
    }
    String signature =
        new WebhookSignature(List.of(secret))
            .sign(Instant.now().getEpochSecond(), sent.toByteArray());
    return sendWith(
        Map.of("X-Service-Signature", signature, "Content-Encoding", "gzip"), sent.toByteArray());
  }

  /** The status of the answer. */
  int sendWith(Map<String, String> headers, byte[] body) throws IOException {
    try (Socket socket = connect()) {
      try {
        OutputStream out = socket.getOutputStream();
        out.write(head(headers, body.length));
        out.write(body);
        out.flush();
        return status(socket);
      } catch (IOException cut) {
        return CUT_OFF;
      }
    }
  }

  /** Announces more than it sends and disconnects. */
  void sendHalf(String signature, byte[] body) throws IOException {
    try (Socket socket = connect()) {
      OutputStream out = socket.getOutputStream();
      out.write(head(headers(signature), body.length));
      out.write(body, 0, body.length / 2);
      out.flush();
    }
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout((int) PATIENCE.toMillis());
    return socket;
  }

  private static Map<String, String> headers(@Nullable String signature) {
    return signature == null ? Map.of() : Map.of("X-Service-Signature", signature);
  }

  private static byte[] head(Map<String, String> headers, int length) {
    StringBuilder head =
        new StringBuilder("POST /hooks HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n")
            .append("Content-Type: application/json\r\nContent-Length: ")
            .append(length)
            .append("\r\n");
    headers.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    return head.append("\r\n").toString().getBytes(ISO_8859_1);
  }

  private static int status(Socket socket) throws IOException {
    String line =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1)).readLine();
    return line == null ? CUT_OFF : Integer.parseInt(line.split(" ", 3)[1]);
  }
}
