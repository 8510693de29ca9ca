package io.egress.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ByteBudgetTest {
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() {
    vertx.close().await();
  }

  @Test
  void letsWaitInLineAndServesInOrder() {
    ByteBudget budget = new ByteBudget(vertx, 100, 10);
    ByteBudget.Share first = budget.take(80).await();
    Future<ByteBudget.Share> large = budget.take(90);
    Future<ByteBudget.Share> small = budget.take(10);

    assertThat(large.isComplete()).isFalse();
    assertThat(small.isComplete()).as("nobody overtakes").isFalse();

    first.giveBack();
    await().until(() -> large.isComplete() && small.isComplete());
    assertThat(budget.bytesTaken()).isEqualTo(100);
  }

  @Test
  void cutsAShareLargerThanAllToAll() {
    ByteBudget budget = new ByteBudget(vertx, 100, 10);
    ByteBudget.Share all = budget.take(1_000).await();
    assertThat(budget.bytesTaken()).isEqualTo(100);
    all.giveBack();
    all.giveBack();
    assertThat(budget.bytesTaken()).isZero();
  }

  @Test
  void refusesWhenTheLineIsFull() {
    ByteBudget budget = new ByteBudget(vertx, 1, 1);
    Future<ByteBudget.Share> taken = budget.take(1);
    Future<ByteBudget.Share> waiting = budget.take(1);
    Future<ByteBudget.Share> refused = budget.take(1);

    assertThat(taken.succeeded()).isTrue();
    assertThat(waiting.isComplete()).isFalse();
    assertThat(refused.cause()).isInstanceOf(ByteBudget.LineFullException.class);
  }
}
