package io.egress.platform.vertx;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.metrics.VertxMetrics;
import io.vertx.core.spi.tracing.VertxTracer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a {@link Vertx} has and its public API does not provide. */
public final class VertxInternals {
  private VertxInternals() {}

  /** The metrics that {@code vertx} was created with. */
  public static @Nullable VertxMetrics metrics(Vertx vertx) {
    return ((VertxInternal) vertx).metrics();
  }

  /** The tracer that {@code vertx} was created with. */
  public static @Nullable VertxTracer<?, ?> tracer(Vertx vertx) {
    return ((VertxInternal) vertx).tracer();
  }

  /** Public methods run a task on the caller's event loop only, or on the next one. */
  public static List<EventLoop> eventLoops(Vertx vertx) {
    List<EventLoop> loops = new ArrayList<>();
    for (EventExecutor loop : ((VertxInternal) vertx).nettyEventLoopGroup()) {
      loops.add((EventLoop) loop);
    }
    return loops;
  }

  /**
   * All addresses of a name, from the hosts file and the name servers of {@code vertx}. The public
   * DNS client does not read the hosts file, and resolvers of connections use a single address.
   */
  public static Future<List<InetAddress>> addressesOf(Vertx vertx, String host) {
    Promise<List<InetSocketAddress>> resolved = Promise.promise();
    ((VertxInternal) vertx)
        .nameResolver()
        .resolveAll(host, done -> resolved.complete(done.result(), done.cause()));
    return resolved
        .future()
        .map(sockets -> sockets.stream().map(InetSocketAddress::getAddress).toList());
  }

  /** A context on a chosen event loop. The public way is to deploy a verticle for each. */
  public static final class LoopContext {
    private static final long NANOS_OF_A_MILLI = 1_000_000;

    private final ContextInternal context;

    private LoopContext(ContextInternal context) {
      this.context = context;
    }

    public static LoopContext on(EventLoop loop, Vertx vertx) {
      return new LoopContext(((VertxInternal) vertx).contextBuilder().withEventLoop(loop).build());
    }

    public Vertx vertx() {
      return context.owner();
    }

    /** Runs immediately if the caller is on the loop already. */
    public void run(Runnable action) {
      context.emit(action, Runnable::run);
    }

    /** Not earlier than after {@code delay}. */
    public long startTimer(Duration delay, Runnable action) {
      long millis = delay.plusNanos(NANOS_OF_A_MILLI - 1).toMillis();
      return context.setTimer(Math.max(1, millis), _ -> action.run());
    }

    public void cancelTimer(long id) {
      context.owner().cancelTimer(id);
    }

    /** Completes on the caller's context what is completed on the loop. */
    public <T> Promise<T> promiseToCaller() {
      return context.owner().getOrCreateContext().promise();
    }
  }
}
