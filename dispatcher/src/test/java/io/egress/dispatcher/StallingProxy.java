package io.egress.dispatcher;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A proxy in front of a local server that can hold back everything in both directions. */
public final class StallingProxy implements AutoCloseable {
  /** After the handshake, in the middle of what is done with the connection. */
  private static final int MESSAGES_BEFORE_CUT = 12;

  private final Vertx vertx = Vertx.vertx();
  private final Set<NetSocket> sockets = ConcurrentHashMap.newKeySet();
  private final URI target;
  private final NetServer server;
  private final AtomicInteger toReset = new AtomicInteger();
  private final AtomicInteger toCut = new AtomicInteger();
  private volatile boolean stalled;

  public StallingProxy(String url) {
    target = URI.create(url);
    server =
        Fleet.await(vertx.createNetServer().connectHandler(this::connect).listen(0, "127.0.0.1"));
  }

  /** The URL of the server by way of here. */
  public String url() {
    return target.toString().replace(":" + target.getPort(), ":" + server.actualPort());
  }

  /** No connection is refused or ended; nothing is answered. */
  public void stall() {
    stalled = true;
    sockets.forEach(NetSocket::pause);
  }

  public void resume() {
    stalled = false;
    sockets.forEach(NetSocket::resume);
  }

  /** Resets the next connections of the service's pools; those of migrations go through. */
  public void resetPoolConnections(int count) {
    toReset.set(count);
  }

  /** Ends the next connections of migrations when they have sent a few messages. */
  public void cutMigrations(int count) {
    toCut.set(count);
  }

  private void connect(NetSocket client) {
    client.pause();
    vertx
        .createNetClient()
        .connect(target.getPort(), target.getHost())
        .onSuccess(
            backend -> {
              pipe(client, backend);
              pipe(backend, client);
              if (!stalled) {
                client.resume();
              }
            })
        .onFailure(refused -> client.close());
  }

  private void pipe(NetSocket from, NetSocket to) {
    sockets.add(from);
    from.exceptionHandler(broken -> {});
    AtomicInteger messages = new AtomicInteger();
    from.handler(
        data -> {
          if (messages.incrementAndGet() == MESSAGES_BEFORE_CUT
              && toCut.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            from.close();
          } else if (isOfPool(data) && toReset.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            from.close();
          } else {
            to.write(data);
          }
        });
    from.closeHandler(
        closed -> {
          sockets.remove(from);
          to.close();
        });
  }

  /** The first message of a connection names the application. */
  private static boolean isOfPool(Buffer data) {
    return data.toString(StandardCharsets.ISO_8859_1).contains("application_name\0egress\0");
  }

  @Override
  public void close() {
    Fleet.await(vertx.close());
  }
}
