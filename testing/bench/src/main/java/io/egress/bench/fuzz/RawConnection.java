package io.egress.bench.fuzz;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sends arbitrary bytes, and parses responses as strictly as HTTP allows. */
final class RawConnection implements AutoCloseable {
  /** The bytes received are not an HTTP response. */
  static final class NoAnswerException extends ProtocolException {
    private static final long serialVersionUID = 1L;

    NoAnswerException(String message) {
      super(message);
    }
  }

  private static final Pattern STATUS_LINE = Pattern.compile("HTTP/1\\.([01]) ([1-5][0-9]{2}) .*");
  private static final int CONNECT_MILLIS_MAX = 10_000;
  private static final int LINE_BYTES_MAX = 16_384;
  private static final int BODY_BYTES_MAX = 64 << 20;

  private final Socket socket;
  private final InputStream in;

  RawConnection(int port) throws IOException {
    this.socket = new Socket();
    socket.connect(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS_MAX);
    socket.setTcpNoDelay(true);
    this.in = new BufferedInputStream(socket.getInputStream());
  }

  void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  /** Half-closes the connection. */
  void endOutput() throws IOException {
    socket.shutdownOutput();
  }

  /** As a host that vanishes would: with RST instead of FIN. */
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  /** Whether the service has closed the connection, or does so within {@code millisMax}. */
  boolean ends(int millisMax) throws IOException {
    socket.setSoTimeout(millisMax);
    return in.read() < 0;
  }

  /** Whether bytes are available now. */
  boolean hasMore() throws IOException {
    return in.available() > 0;
  }

  /** Skips interim responses. */
  Answer read(int millisMax, boolean mayBeHead) throws IOException {
    socket.setSoTimeout(millisMax);
    boolean endsAtClose;
    int status;
    Map<String, String> headers;
    do {
      String line = line();
      Matcher parsed = STATUS_LINE.matcher(line);
      if (!parsed.matches()) {
        throw new NoAnswerException("no status line: " + Shot.shown(line));
      }
      endsAtClose = parsed.group(1).equals("0");
      status = Integer.parseInt(parsed.group(2));
      headers = headers();
    } while (status < 200 && status != 101);
    boolean withoutBody = status == 101 || status == 204 || status == 304;
    if (withoutBody) {
      return new Answer(status, headers, "");
    }
    // A response to HEAD has no body; reading one would block.
    return new Answer(status, headers, mayBeHead ? null : body(headers, endsAtClose));
  }

  private Map<String, String> headers() throws IOException {
    Map<String, String> headers = new HashMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      if (colon <= 0) {
        throw new NoAnswerException("no header: " + Shot.shown(line));
      }
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    return headers;
  }

  private String body(Map<String, String> headers, boolean endsAtClose) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    String length = headers.get("content-length");
    if (length != null) {
      copy(body, number(length, 10));
    } else if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
      for (int size = number(line(), 16); size > 0; size = number(line(), 16)) {
        copy(body, size);
        line();
      }
      headers();
    } else if (endsAtClose) {
      body.writeBytes(in.readAllBytes());
    } else {
      throw new NoAnswerException("neither content-length nor chunked");
    }
    return body.toString(ISO_8859_1);
  }

  private static int number(String text, int radix) throws NoAnswerException {
    try {
      return Integer.parseInt(text, radix);
    } catch (NumberFormatException notOne) {
      throw new NoAnswerException("no length: " + Shot.shown(text));
    }
  }

  private void copy(ByteArrayOutputStream body, int bytes) throws IOException {
    if (bytes < 0 || body.size() + (long) bytes > BODY_BYTES_MAX) {
      throw new NoAnswerException("a body of more than " + BODY_BYTES_MAX + " bytes");
    }
    byte[] read = in.readNBytes(bytes);
    if (read.length < bytes) {
      throw new EOFException("the body is cut short");
    }
    body.writeBytes(read);
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException(line.isEmpty() ? "closed" : "a line is cut short: " + line);
      }
      if (line.length() == LINE_BYTES_MAX) {
        throw new NoAnswerException("a line without end");
      }
      line.append((char) b);
    }
    if (line.isEmpty() || line.charAt(line.length() - 1) != '\r') {
      throw new NoAnswerException("a line that ends without \\r");
    }
    return line.substring(0, line.length() - 1);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
