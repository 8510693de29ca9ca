package io.egress.dispatcher.supervise;

import io.egress.dispatcher.supervise.MemberSupervisor.GroupMember;
import io.egress.platform.metrics.Metrics;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.Checkpoint;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class MemberSupervisorTest {
  @Test
  void aMemberThatFailsToStartIsRetried(Vertx vertx, VertxTestContext test) {
    Checkpoint began = test.checkpoint(2);
    AtomicInteger made = new AtomicInteger();
    MemberSupervisor supervisor =
        new MemberSupervisor(
            vertx,
            new Restarts(new Metrics(), "test"),
            new BackendWait(vertx, _ -> Future.succeededFuture(), _ -> Future.succeededFuture()),
            _ -> {
              if (made.incrementAndGet() == 2) {
                throw new IllegalStateException("thrown by a test");
              }
              return new Member(began::flag);
            });

    Context context = vertx.getOrCreateContext();
    context.runOnContext(_ -> supervisor.start(context).onComplete(test.succeeding(_ -> {})));
    context.runOnContext(_ -> {
      throw new IllegalStateException("ends the first member");
    });
  }

  private record Member(Runnable whenStarted) implements GroupMember {
    @Override
    public Future<Void> start() {
      whenStarted.run();
      return Future.succeededFuture();
    }

    @Override
    public Future<Void> close() {
      return Future.succeededFuture();
    }

    @Override
    public Future<Void> release() {
      return Future.succeededFuture();
    }

    @Override
    public Future<Void> flush(Duration max) {
      return Future.succeededFuture();
    }
  }
}
