package io.egress.platform.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ByteBudgetTest {
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() {
    vertx.close().await();
  }

  @Test
  void servesWaitersInOrder() {
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
  void limitsAShareToTheWholeBudget() {
    ByteBudget budget = new ByteBudget(vertx, 100, 10);
    ByteBudget.Share all = budget.take(1_000).await();
    assertThat(budget.bytesTaken()).isEqualTo(100);
    all.giveBack();
    all.giveBack();
    assertThat(budget.bytesTaken()).isZero();
  }

  @Test
  void refusesWhenTheQueueIsFull() {
    ByteBudget budget = new ByteBudget(vertx, 1, 1);
    Future<ByteBudget.Share> taken = budget.take(1);
    Future<ByteBudget.Share> waiting = budget.take(1);
    Future<ByteBudget.Share> refused = budget.take(1);

    assertThat(taken.succeeded()).isTrue();
    assertThat(waiting.isComplete()).isFalse();
    assertThat(refused.cause()).isInstanceOf(ByteBudget.NoMemoryException.class);
  }

  @Test
  void forgetsWaitersThatLeave() {
    ByteBudget budget = new ByteBudget(vertx, 100, 10);
    ByteBudget.Share all = budget.take(100).await();
    List<ByteBudget.Place> gone = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      gone.add(budget.ask(i, 60, null));
    }
    Future<ByteBudget.Share> stays = budget.take(100);

    gone.forEach(ByteBudget.Place::leave);
    all.giveBack();

    await().until(stays::succeeded);
    assertThat(gone).allMatch(place -> place.share().cause() instanceof ByteBudget.LeftException);
  }

  @Test
  void takesBackAShareGrantedToAWaiterThatLeft() {
    ByteBudget budget = new ByteBudget(vertx, 100, 10);
    ByteBudget.Share all = budget.take(100).await();
    CompletableFuture<ByteBudget.Place> asking = new CompletableFuture<>();
    vertx
        .getOrCreateContext()
        .runOnContext(_ -> {
          ByteBudget.Place place = budget.ask("gone", 60, null);
          all.giveBack();
          // Granted by now, but handed over only after this.
          place.leave();
          asking.complete(place);
        });

    assertThat(asking.join().share().failed()).isTrue();
    await().until(() -> budget.bytesTaken() == 0);
  }

  @Test
  void boundsTheWait() {
    ByteBudget budget = new ByteBudget(vertx, 100, 10);
    ByteBudget.Share all = budget.take(100).await();
    Future<ByteBudget.Share> late = budget.ask("late", 10, Duration.ofMillis(20)).share();

    await().until(late::failed);
    assertThat(late.cause()).isInstanceOf(ByteBudget.NoMemoryException.class);
    all.giveBack();
    assertThat(budget.take(100).succeeded()).isTrue();
  }

  @Test
  void reservesAsMuchForOthersAsOneOwnerHolds() {
    ByteBudget budget = new ByteBudget(vertx, 100, 100);
    List<Future<ByteBudget.Share>> greedy = new ArrayList<>();
    for (int i = 0; i < 15; i++) {
      greedy.add(budget.ask("greedy", 10, null).share());
    }
    assertThat(budget.bytesTaken()).isEqualTo(50);

    Future<ByteBudget.Share> other = budget.ask("other", 20, null).share();

    await().until(other::succeeded);
    assertThat(greedy).filteredOn(Future::succeeded).hasSize(5);
    greedy.get(0).result().giveBack();
    other.result().giveBack();
    await().until(() -> greedy.stream().filter(Future::succeeded).count() == 6);
  }

  @Test
  void servesOwnersInTurn() {
    ByteBudget budget = new ByteBudget(vertx, 100, 100);
    ByteBudget.Share all = budget.take(100).await();
    List<String> served = new CopyOnWriteArrayList<>();
    for (String owner : List.of("a", "a", "a", "b", "b", "c")) {
      budget
          .ask(owner, 100, null)
          .share()
          .onSuccess(share -> {
            served.add(owner);
            share.giveBack();
          });
    }
    all.giveBack();

    await().until(() -> served.size() == 6);
    assertThat(served).containsExactly("a", "b", "c", "a", "b", "a");
  }

  @Test
  void growsOnlyIntoFreeMemory() {
    ByteBudget budget = new ByteBudget(vertx, 100, 10);
    ByteBudget.Share one = budget.take(40).await();
    ByteBudget.Share other = budget.take(40).await();

    assertThat(one.resize(60)).isTrue();
    assertThat(other.resize(41)).isFalse();
    assertThat(one.resize(10)).isTrue();
    assertThat(other.resize(90)).isTrue();
    assertThat(budget.bytesTaken()).isEqualTo(100);
    one.giveBack();
    assertThat(one.resize(5)).as("given back for good").isFalse();
    other.giveBack();
    assertThat(budget.bytesTaken()).isZero();
  }
}
