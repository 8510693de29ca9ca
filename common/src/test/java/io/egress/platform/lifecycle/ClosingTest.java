package io.egress.platform.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClosingTest {
  private final Vertx vertx = Vertx.vertx();
  private final List<String> closed = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(20, TimeUnit.SECONDS);
  }

  @Test
  void closesInReverseOrder() throws Exception {
    Closing closing = new Closing(Duration.ofSeconds(30));
    closing.pushSync("first", () -> closed.add("first"));
    closing.pushSync("second", () -> closed.add("second"));

    closes(closing);

    assertThat(closed).containsExactly("second", "first");
  }

  @Test
  void goesOnAfterAPartThatFails() throws Exception {
    Closing closing = new Closing(Duration.ofSeconds(30));
    closing.pushSync("first", () -> closed.add("first"));
    closing.pushSync(
        "second",
        () -> {
          throw new IllegalStateException("second");
        });
    closing.push("third", () -> Future.failedFuture("third"));

    closes(closing);

    assertThat(closed).containsExactly("first");
  }

  /** As a listener with a slow client would: the pools behind it have to be closed, too. */
  @Test
  void leavesTimeToThePartsAfterOneThatIsStuck() throws Exception {
    Closing closing = new Closing(Duration.ofSeconds(3));
    closing.push("first", () -> later("first"));
    closing.push("second", () -> later("second"));
    closing.push("stuck", () -> Promise.<Void>promise().future());

    closes(closing);

    assertThat(closed).containsExactly("second", "first");
  }

  private Future<Void> later(String name) {
    return vertx
        .timer(50, TimeUnit.MILLISECONDS)
        .map(_ -> {
          closed.add(name);
          return null;
        });
  }

  private static void closes(Closing closing) throws Exception {
    closing.close().await(20, TimeUnit.SECONDS);
  }
}
