package io.egress.dispatcher.deliver;

import io.egress.dispatcher.ledger.LedgerBook.Entry;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.send.Outcome;
import io.egress.webhook.send.Sending;
import io.egress.webhook.turn.DuePage;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * An attempt to make, and the record that requests it. A job is either finished, which completes
 * the record, or abandoned, which leaves the record to the partition's next owner.
 */
final class Job {
  /** Identifies the attempt: two records of the same attempt lead to one attempt. */
  record AttemptKey(UUID deliveryId, int attempt) {}

  private final Delivery delivery;
  private final Entry<TopicPartition> entry;
  private final long takenNanos;
  private @Nullable EndpointTarget target;
  private @Nullable Long revision;
  private @Nullable DuePage page;
  private @Nullable Sending sending;
  private Outcome.@Nullable Authorized authorized;
  private boolean abandoned;
  private boolean leftToStream;
  private boolean preparedLate;
  private @Nullable Job repetition;

  Job(Delivery delivery, Entry<TopicPartition> entry, long takenNanos) {
    this.delivery = delivery;
    this.entry = entry;
    this.takenNanos = takenNanos;
  }

  Delivery delivery() {
    return delivery;
  }

  Entry<TopicPartition> entry() {
    return entry;
  }

  /** Takes a record of the same attempt that was read later. Returns the one that it replaces. */
  @Nullable Job repeatedBy(Job later) {
    Job before = repetition;
    repetition = later;
    return before;
  }

  /** The last record of the same attempt that was read while this one was held; null if none. */
  @Nullable Job repetition() {
    return repetition;
  }

  /** From now on another record of its delivery may lead to a job. */
  void leaveToStream() {
    leftToStream = true;
  }

  boolean isLeftToStream() {
    return leftToStream;
  }

  /** Its preparation took so long that it is repeated. */
  void preparedLate() {
    preparedLate = true;
  }

  boolean wasPreparedLate() {
    return preparedLate;
  }

  /** When the record was read. */
  long takenNanos() {
    return takenNanos;
  }

  TopicPartition partition() {
    return entry.partition();
  }

  AttemptKey key() {
    return new AttemptKey(delivery.id(), delivery.attempt());
  }

  /** The endpoint that its attempt was prepared with. */
  void target(EndpointTarget prepared) {
    target = prepared;
  }

  @Nullable EndpointTarget target() {
    return target;
  }

  /** The capture's, of the document that is sent. */
  void revision(long sent) {
    revision = sent;
  }

  /** Null if nothing was sent. */
  @Nullable Long revision() {
    return revision;
  }

  /** What its turn was found to be. */
  void page(DuePage due) {
    page = due;
  }

  /** Null unless it is a turn that was prepared. */
  @Nullable DuePage page() {
    return page;
  }

  void sending(@Nullable Sending now) {
    sending = now;
  }

  void authorized(Outcome.@Nullable Authorized now) {
    authorized = now;
  }

  /** Null unless it waited for an access token. */
  Outcome.@Nullable Authorized authorized() {
    return authorized;
  }

  /** Whether its request was sent and has not been answered. */
  boolean isAwaited() {
    return sending != null && !sending.outcome().isComplete();
  }

  boolean isAbandoned() {
    return abandoned;
  }

  /** Aborts the attempt in progress, which then has no outcome. */
  void abandon(String reason) {
    abandoned = true;
    if (sending != null) {
      sending.abort(reason);
    }
  }

  @Override
  public String toString() {
    return delivery.id() + " attempt " + delivery.attempt() + " of " + entry;
  }

  LoggingEventBuilder describe(LoggingEventBuilder line) {
    return line.addKeyValue("delivery_id", delivery.id())
        .addKeyValue("endpoint_id", delivery.endpointId())
        .addKeyValue("capture_id", delivery.captureId())
        .addKeyValue("attempt", delivery.attempt());
  }
}
