package io.egress.acceptance;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Passes requests on to a server that answers one per connection, and can lose an answer. A kill at
 * a random moment hardly ever comes between what a server stores and its answer.
 */
final class AnswerLoss implements AutoCloseable {
  private final AtomicReference<@Nullable CompletableFuture<Void>> next = new AtomicReference<>();
  private final ServerSocket server;
  private final int target;

  AnswerLoss(int target) throws IOException {
    this.target = target;
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  String url() {
    return "http://127.0.0.1:" + server.getLocalPort() + "/";
  }

  /** Loses the next answer, and completes once the server has begun it. */
  CompletableFuture<Void> loseNext() {
    CompletableFuture<Void> lost = new CompletableFuture<>();
    next.set(lost);
    return lost;
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        Thread.ofVirtual().start(() -> pass(client));
      }
    } catch (IOException closed) {
      // By close.
    }
  }

  private void pass(Socket client) {
    try (client;
        Socket upstream = new Socket(InetAddress.getLoopbackAddress(), target)) {
      Thread.ofVirtual().start(() -> passRequest(client, upstream));
      int first = upstream.getInputStream().read();
      if (first < 0) {
        return;
      }
      CompletableFuture<Void> lost = next.getAndSet(null);
      if (lost != null) {
        lost.complete(null);
        return;
      }
      client.getOutputStream().write(first);
      upstream.getInputStream().transferTo(client.getOutputStream());
    } catch (IOException ended) {
      // By either side, or the server is down.
    }
  }

  private static void passRequest(Socket client, Socket upstream) {
    try {
      client.getInputStream().transferTo(upstream.getOutputStream());
    } catch (IOException ended) {
      // By either side.
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
