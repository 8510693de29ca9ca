package io.egress.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A proxy on 127.0.0.1 in front of a local server, for faults of the network and for failovers. New
 * connections may lead to another server while the existing ones stay with theirs.
 */
public final class TcpProxy implements AutoCloseable {
  private static final int BUFFER_BYTES = 16 << 10;

  private record Cut(String text, int messagesMin, AtomicInteger left) {
    boolean hits(String sent, int messages) {
      return messages >= messagesMin
          && sent.contains(text)
          && left.getAndUpdate(count -> Math.max(0, count - 1)) > 0;
    }
  }

  private final Listener listener = Listener.open();
  private final List<Cut> cuts = new CopyOnWriteArrayList<>();
  private volatile int targetPort;
  private volatile boolean refusing;
  private boolean stalled;

  private TcpProxy(int targetPort) {
    this.targetPort = targetPort;
  }

  public static TcpProxy open(int targetPort) {
    TcpProxy proxy = new TcpProxy(targetPort);
    proxy.listener.serve(proxy::join);
    return proxy;
  }

  public int port() {
    return listener.port();
  }

  /** The URL of a server, by way of this proxy. */
  public String url(String url) {
    return url.replace(":" + URI.create(url).getPort() + "/", ":" + port() + "/");
  }

  /** New connections lead to this port. */
  public void leadTo(int port) {
    targetPort = port;
  }

  /** Accepts connections and forwards nothing, until {@link #resume}. */
  public synchronized void stall() {
    stalled = true;
  }

  public synchronized void resume() {
    stalled = false;
    notifyAll();
  }

  /** Closes new connections at once, or no longer. */
  public void refuse(boolean refuse) {
    refusing = refuse;
  }

  /**
   * Resets the next {@code count} connections over which a client sends a message that contains
   * {@code text}, not before its message number {@code messagesMin}.
   */
  public void resetNext(int count, String text, int messagesMin) {
    cuts.add(new Cut(text, messagesMin, new AtomicInteger(count)));
  }

  /** Resets all connections. */
  public void reset() {
    listener.resetAll();
  }

  @Override
  public void close() {
    resume();
    listener.close();
    reset();
  }

  private void join(Socket client) throws IOException {
    if (refusing) {
      listener.reset(client);
      return;
    }
    awaitFlow();
    try {
      Socket server = listener.connect("127.0.0.1", targetPort);
      listener.start(() -> pass(server, client, List.of()));
      pass(client, server, cuts);
    } catch (IOException refused) {
      listener.reset(client);
    }
  }

  private void pass(Socket from, Socket to, List<Cut> cutShort) {
    try {
      InputStream input = from.getInputStream();
      OutputStream output = to.getOutputStream();
      byte[] buffer = new byte[BUFFER_BYTES];
      int messages = 0;
      for (int read = input.read(buffer); read >= 0; read = input.read(buffer)) {
        awaitFlow();
        messages++;
        String sent = cutShort.isEmpty() ? "" : new String(buffer, 0, read, ISO_8859_1);
        for (Cut cut : cutShort) {
          if (cut.hits(sent, messages)) {
            return;
          }
        }
        output.write(buffer, 0, read);
      }
      awaitFlow();
    } catch (IOException ended) {
      // The other direction ends, too.
    } finally {
      List.of(from, to).forEach(listener::reset);
    }
  }

  private synchronized void awaitFlow() throws IOException {
    try {
      while (stalled) {
        wait();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException(interrupted);
    }
  }
}
