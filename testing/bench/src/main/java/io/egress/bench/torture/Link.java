package io.egress.bench.torture;

import io.egress.platform.lifecycle.RunningProcess;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A TCP proxy between a process and a backend, for network faults. */
final class Link {
  enum Mood {
    FINE,
    /** Delays all data. */
    SLOW,
    /** Drops everything, including FIN and RST. */
    SILENT,
    /** Resets all connections, including new ones. */
    REFUSING
  }

  private static final String HOST = "127.0.0.1";
  private static final long SLOW_MILLIS = 60;
  private static final int CONNECT_MILLIS_MAX = 2_000;

  private final Vertx vertx;
  private final NetServer server;
  private final NetClient client;
  private final Set<Pipe> pipes = ConcurrentHashMap.newKeySet();
  private volatile int targetPort;
  private volatile Mood mood = Mood.FINE;

  private Link(Vertx vertx) {
    this.vertx = vertx;
    // SO_LINGER 0 turns a close into a reset.
    this.client =
        vertx.createNetClient(
            new NetClientOptions().setConnectTimeout(CONNECT_MILLIS_MAX).setSoLinger(0));
    this.server =
        vertx
            .createNetServer(new NetServerOptions().setHost(HOST).setPort(0).setSoLinger(0))
            .connectHandler(this::accept);
  }

  /** {@code vertx} must have one event loop. */
  static Link open(Vertx vertx) {
    Link link = new Link(vertx);
    RunningProcess.await(link.server.listen());
    return link;
  }

  int port() {
    return server.actualPort();
  }

  void leadTo(int port) {
    targetPort = port;
  }

  void become(Mood now) {
    mood = now;
    pipes.forEach(pipe -> vertx.runOnContext(_ -> pipe.follow(now)));
  }

  void reset() {
    pipes.forEach(pipe -> vertx.runOnContext(_ -> pipe.close()));
  }

  private void accept(NetSocket socket) {
    if (mood == Mood.REFUSING) {
      socket.close();
      return;
    }
    Pipe pipe = new Pipe(socket);
    pipes.add(pipe);
    pipe.connectUnlessSilent();
  }

  private final class Pipe {
    private final NetSocket client;
    private @Nullable NetSocket backend;
    private boolean halfClosed;

    Pipe(NetSocket client) {
      this.client = client;
      client.pause();
      client.closeHandler(_ -> onClose());
      client.exceptionHandler(_ -> onClose());
    }

    private void connectUnlessSilent() {
      if (mood == Mood.SILENT) {
        return;
      }
      Link.this.client.connect(targetPort, HOST).onSuccess(this::join).onFailure(_ -> close());
    }

    private void join(NetSocket connected) {
      backend = connected;
      connected.closeHandler(_ -> onClose());
      connected.exceptionHandler(_ -> onClose());
      pass(client, connected);
      pass(connected, client);
      follow(mood);
    }

    /** Data that is not delayed any more must not overtake what is. */
    private void pass(NetSocket from, NetSocket to) {
      AtomicInteger delayed = new AtomicInteger();
      from.handler(data -> {
        if (mood == Mood.SLOW || delayed.get() > 0) {
          delayed.incrementAndGet();
          vertx.setTimer(
              SLOW_MILLIS,
              _ -> {
                delayed.decrementAndGet();
                write(from, to, data);
              });
        } else {
          write(from, to, data);
        }
      });
    }

    private void write(NetSocket from, NetSocket to, Buffer data) {
      to.write(data);
      if (to.writeQueueFull() && mood != Mood.SILENT) {
        from.pause();
        to.drainHandler(_ -> {
          if (mood != Mood.SILENT) {
            from.resume();
          }
        });
      }
    }

    private void follow(Mood now) {
      NetSocket other = backend;
      if (now == Mood.SILENT) {
        client.pause();
        if (other != null) {
          other.pause();
        }
      } else if (now == Mood.REFUSING || halfClosed || other == null) {
        close();
      } else {
        client.resume();
        other.resume();
      }
    }

    private void onClose() {
      if (mood == Mood.SILENT) {
        halfClosed = true;
      } else {
        close();
      }
    }

    private void close() {
      pipes.remove(this);
      client.close();
      if (backend != null) {
        backend.close();
      }
    }
  }
}
