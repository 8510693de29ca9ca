package io.egress.dispatcher.turn;

import io.egress.platform.kafka.RecordPublisher;
import io.egress.platform.lifecycle.Recurring;
import io.egress.platform.outage.Outage;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.queue.Topics;
import io.egress.webhook.turn.DuePages;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the records of pages that are due and have none, as far as anybody can tell: those of
 * new and resumed endpoints, of changes, of endpoints that fan-out did not wake, and those that
 * were lost with a process or with Kafka. If there is another record, one of the two finds that it
 * stands for nothing. Any process may publish any of them.
 */
public final class TurnPublisher {
  private static final Logger log = LoggerFactory.getLogger(TurnPublisher.class);

  /** New and resumed endpoints wait for it, and changes. */
  private static final Duration PERIOD = Duration.ofSeconds(1);

  /** Of a search through all endpoints that rest; fan-out has woken nearly all that should be. */
  private static final int RUNS_BETWEEN_SEARCHES = 10;

  /** How long a record may be due before another one is published; most attempts end by then. */
  private static final Duration OVERDUE = Duration.ofSeconds(15);

  private static final int AT_ONCE_MAX = 1_000;

  private final DuePages pages;
  private final RecordPublisher publisher;
  private final String topic;
  private int runs;

  private TurnPublisher(DuePages pages, RecordPublisher publisher, Topics topics) {
    this.pages = pages;
    this.publisher = publisher;
    this.topic = topics.deliveries();
  }

  /** Runs periodically until that is closed. */
  public static Recurring start(
      Vertx vertx, DuePages pages, RecordPublisher publisher, Topics topics) {
    TurnPublisher turnPublisher = new TurnPublisher(pages, publisher, topics);
    return new Recurring(
            vertx, "looking for pages that are due", (Recurring.Work) turnPublisher::run)
        .reporting(
            new Outage(
                log,
                "Cannot look for pages that are due; retrying",
                "Pages that are due are found again"))
        .every(PERIOD);
  }

  private void run() {
    publishAll(() -> pages.overdue(OVERDUE, AT_ONCE_MAX));
    publishAll(() -> pages.wakeChanged(AT_ONCE_MAX));
    if (runs++ % RUNS_BETWEEN_SEARCHES == 0) {
      publishAll(() -> pages.wakeAny(AT_ONCE_MAX));
    }
  }

  private void publishAll(Supplier<Future<List<Delivery>>> next) {
    int published;
    do {
      List<Delivery> found = next.get().await();
      publisher.publish(found.stream().map(turn -> turn.toRecord(topic)).toList()).await();
      published = found.size();
    } while (published == AT_ONCE_MAX);
  }
}
