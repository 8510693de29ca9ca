package io.egress.platform.vertx;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.metrics.MeasuredVertx;
import io.egress.platform.vertx.VertxInternals.LoopContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the service takes for granted of Vert.x's internal API. */
class VertxInternalsTest {
  private final Vertx vertx = MeasuredVertx.create();

  @Test
  void hasTheMetricsItWasCreatedWithAndNoTracer() {
    assertThat(VertxInternals.metrics(vertx)).isNotNull();
    assertThat(VertxInternals.tracer(vertx)).isNull();
  }

  @Test
  void hasAnEventLoopForEachProcessor() {
    assertThat(VertxInternals.eventLoops(vertx))
        .hasSize(Runtime.getRuntime().availableProcessors())
        .doesNotHaveDuplicates();
  }

  @Test
  void resolvesNamesOfTheHostsFile() throws Exception {
    assertThat(done(VertxInternals.addressesOf(vertx, "localhost").toCompletionStage()))
        .isNotEmpty()
        .allMatch(InetAddress::isLoopbackAddress);
  }

  @Test
  void runsOnTheChosenLoopAndThereImmediately() throws Exception {
    for (EventLoop loop : VertxInternals.eventLoops(vertx)) {
      LoopContext context = LoopContext.on(loop, vertx);
      CompletableFuture<List<Boolean>> ran = new CompletableFuture<>();
      CompletableFuture<Boolean> timer = new CompletableFuture<>();
      context.run(() -> {
        boolean onLoop = loop.inEventLoop();
        boolean[] nested = {false};
        context.run(() -> nested[0] = true);
        ran.complete(List.of(onLoop, nested[0]));
        context.startTimer(Duration.ofMillis(1), () -> timer.complete(loop.inEventLoop()));
      });
      assertThat(done(ran)).containsExactly(true, true);
      assertThat(done(timer)).isTrue();
    }
  }

  @Test
  void completesPromisesOnTheContextOfTheirCaller() throws Exception {
    Context caller = vertx.getOrCreateContext();
    EventLoop other = VertxInternals.eventLoops(vertx).getLast();
    CompletableFuture<Context> completedOn = new CompletableFuture<>();
    caller.runOnContext(_ -> {
      LoopContext context = LoopContext.on(other, vertx);
      Promise<String> promise = context.promiseToCaller();
      promise.future().onSuccess(_ -> completedOn.complete(Vertx.currentContext()));
      context.run(() -> promise.complete("done"));
    });
    assertThat(done(completedOn)).isSameAs(caller);
  }

  @Test
  void convertsBuffersWithoutACopy() {
    ByteBuf bytes = Unpooled.directBuffer(8).writeLong(1);
    Buffer buffer = ByteBufs.wrap(bytes);

    bytes.setLong(0, 2);

    assertThat(buffer.length()).isEqualTo(8);
    assertThat(buffer.getLong(0)).isEqualTo(2);
    assertThat(ByteBufs.of(buffer).memoryAddress()).isEqualTo(bytes.memoryAddress());
  }

  private static <T> T done(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
  }

  @AfterEach
  void close() throws Exception {
    done(vertx.close().toCompletionStage());
  }
}
