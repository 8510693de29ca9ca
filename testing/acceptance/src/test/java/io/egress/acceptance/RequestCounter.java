package io.egress.acceptance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Passes requests on to a server as they are, because they are signed, and counts them. One can be
 * the last: nothing passes after it.
 */
final class RequestCounter implements AutoCloseable {
  private static final String REQUEST = " HTTP/1.1\r\n";

  private final AtomicInteger requests = new AtomicInteger();
  private final ServerSocket server;
  private final int target;
  private final int last;
  private final boolean carriedOut;
  private final Runnable whenLast;

  /**
   * @param last the number of the last request
   * @param carriedOut whether the server gets it
   * @param whenLast runs once it has come, and nothing is answered meanwhile
   */
  RequestCounter(int target, int last, boolean carriedOut, Runnable whenLast) throws IOException {
    this.target = target;
    this.last = last;
    this.carriedOut = carriedOut;
    this.whenLast = whenLast;
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  RequestCounter(int target) throws IOException {
    this(target, Integer.MAX_VALUE, true, () -> {});
  }

  String url() {
    return "http://127.0.0.1:" + server.getLocalPort();
  }

  int requests() {
    return requests.get();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        Socket upstream = new Socket(InetAddress.getLoopbackAddress(), target);
        Thread.ofVirtual().start(() -> passRequests(client, upstream));
        Thread.ofVirtual().start(() -> pass(upstream, client));
      }
    } catch (IOException closed) {
      // By close.
    }
  }

  private void passRequests(Socket client, Socket upstream) {
    try (client;
        upstream) {
      InputStream in = client.getInputStream();
      OutputStream out = upstream.getOutputStream();
      byte[] buffer = new byte[1 << 16];
      String seen = "";
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        String text = seen + new String(buffer, 0, length, ISO_8859_1);
        int begun = text.split(REQUEST, -1).length - 1;
        seen = text.substring(Math.max(0, text.length() - REQUEST.length() + 1));
        int number = requests.addAndGet(begun);
        boolean over = number > last || (number == last && !carriedOut);
        if (!over) {
          out.write(buffer, 0, length);
        }
        if (number >= last && begun > 0 && number - begun < last) {
          whenLast.run();
        }
        if (over) {
          return;
        }
      }
    } catch (IOException ended) {
      // By either side.
    }
  }

  private void pass(Socket upstream, Socket client) {
    try (client;
        upstream) {
      upstream.getInputStream().transferTo(client.getOutputStream());
    } catch (IOException ended) {
      // By either side.
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
