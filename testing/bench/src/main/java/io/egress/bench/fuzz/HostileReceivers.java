package io.egress.bench.fuzz;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Receivers on one port: requests to {@code /healthy} get a valid response, all others a mutated
 * one.
 */
final class HostileReceivers implements AutoCloseable {
  private static final int READ_MILLIS_MAX = 10_000;
  private static final int HEAD_BYTES_MAX = 16_384;
  private static final Pattern LENGTH = Pattern.compile("\r\ncontent-length: *([0-9]+)");
  private static final Pattern CAPTURE = Pattern.compile("\"data\":\\{\"id\":\"([0-9a-f-]{36})\"");
  private static final byte[] FINE = "HTTP/1.1 204 No Content\r\n\r\n".getBytes(US_ASCII);

  private final long seed;
  private final Findings findings;
  private final ServerSocket server = new ServerSocket();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Set<UUID> received = ConcurrentHashMap.newKeySet();

  HostileReceivers(long seed, Findings findings) throws IOException {
    this.seed = seed;
    this.findings = findings;
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000);
    threads.execute(this::accept);
  }

  String url(String path) {
    return "http://127.0.0.1:" + server.getLocalPort() + path;
  }

  /** The captures received by the healthy receiver. */
  Set<UUID> received() {
    return received;
  }

  private void accept() {
    for (long connection = 0; true; connection++) {
      try {
        Socket socket = server.accept();
        Random random = new Random(seed * 1_000_003 + connection);
        threads.execute(() -> serve(socket, new AnswerMutator(random)));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket socket, AnswerMutator mutator) {
    try (socket) {
      socket.setSoTimeout(READ_MILLIS_MAX);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      OutputStream out = socket.getOutputStream();
      while (true) {
        String head = head(in);
        if (head.startsWith("POST /healthy ")) {
          String body = new String(body(in, head), ISO_8859_1);
          Matcher capture = CAPTURE.matcher(body);
          if (capture.find()) {
            received.add(UUID.fromString(capture.group(1)));
          }
          out.write(FINE);
        } else if (!answer(in, out, head, mutator.next())) {
          return;
        }
      }
    } catch (IOException closed) {
      // Closed by the service, which gave up, or has nothing more to send.
    }
  }

  private boolean answer(
      InputStream in, OutputStream out, String head, AnswerMutator.Mutated mutated)
      throws IOException {
    findings.count("mutated answers");
    if (mutated.readsFirst()) {
      body(in, head);
    }
    out.write(mutated.head().getBytes(ISO_8859_1));
    byte[] tail = mutated.tail().getBytes(ISO_8859_1);
    for (int i = 0; i < mutated.tails(); i++) {
      out.write(tail);
    }
    return !mutated.closes() && mutated.readsFirst();
  }

  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (!head.toString().endsWith("\r\n\r\n")) {
      int b = in.read();
      if (b < 0 || head.length() == HEAD_BYTES_MAX) {
        throw new EOFException();
      }
      head.append((char) b);
    }
    return head.toString();
  }

  private static byte[] body(InputStream in, String head) throws IOException {
    Matcher length = LENGTH.matcher(head.toLowerCase(Locale.ROOT));
    return in.readNBytes(length.find() ? Integer.parseInt(length.group(1)) : 0);
  }

  @Override
  public void close() throws IOException {
    server.close();
    threads.shutdownNow();
  }
}
