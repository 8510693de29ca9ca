package io.egress.api.admin.deliveries;

import io.egress.platform.database.Rows;
import io.egress.platform.http.Refusal;
import io.egress.platform.kafka.KafkaSettings;
import io.egress.platform.kafka.NewerRecordException;
import io.egress.platform.kafka.UnconsumedRecords;
import io.egress.transcript.stream.ProcessedCapture;
import io.egress.webhook.backfill.Backfills;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.queue.Topics;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The captures on their way to an endpoint: in the outbox, in the unpublished rest of its history
 * or of what it is behind, or in a topic. Captures move downstream and leave a queue only after the
 * next one has them. Reading the queues in that order therefore finds every capture that had no
 * outcome when the reading began. Only when an endpoint falls behind, they move from a topic to
 * what it is behind, which is therefore looked at again at the end.
 */
final class QueuedCaptures {
  private static final Logger log = LoggerFactory.getLogger(QueuedCaptures.class);

  private static final String OUTBOX = "select capture_id from outbox where workspace_id = $1";

  private static final String CATCH_UP =
      "select first_position, next_position, last_position from catch_ups where endpoint_id = $1";

  private final WorkerExecutor executor;
  private final Pool pool;
  private final KafkaSettings settings;
  private final Topics topics;

  QueuedCaptures(WorkerExecutor executor, Pool pool, KafkaSettings settings) {
    this.executor = executor;
    this.pool = pool;
    this.settings = settings;
    this.topics = new Topics(settings.topicPrefix());
  }

  /** {@code complete} is false if there were more records than are read. */
  record Found(
      Set<UUID> captureIds, Set<UUID> deliveryIds, List<Part> unpublished, boolean complete) {
    /** Whether this delivery has a record, or may have one. */
    boolean mayHold(UUID deliveryId) {
      return !complete || deliveryIds.contains(deliveryId);
    }

    /** Whether the capture is on its way, or may be. */
    boolean mayHold(UUID captureId, long position) {
      return !complete
          || captureIds.contains(captureId)
          || unpublished.stream().anyMatch(part -> part.contains(position));
    }
  }

  /** Positions of the stream. */
  record Part(long from, long to) {
    private boolean contains(long position) {
      return position >= from && position <= to;
    }
  }

  /** What an endpoint is or was behind. */
  private record CatchUp(long first, long next, long last) {
    private static final CatchUp NONE = new CatchUp(1, 1, 0);

    static CatchUp of(Row row) {
      Long last = row.getLong("last_position");
      return new CatchUp(
          row.getLong("first_position"),
          row.getLong("next_position"),
          last == null ? Long.MAX_VALUE : last);
    }

    Part unpublished() {
      return new Part(next, last);
    }

    /** All that was unpublished at some time since {@code before}. */
    Part unpublishedSince(CatchUp before) {
      return new Part(before.first == first ? before.next : first, last);
    }
  }

  Found find(UUID workspaceId, Endpoint endpoint) {
    try {
      return new Reading(workspaceId, endpoint).run();
    } catch (Exception failure) {
      if (isOfKafka(failure)) {
        throw new Refusal(503, "Kafka is unavailable, try again");
      }
      throw failure;
    }
  }

  private static boolean isOfKafka(@Nullable Throwable failure) {
    return failure instanceof KafkaException || (failure != null && isOfKafka(failure.getCause()));
  }

  private final class Reading {
    private final UUID workspaceId;
    private final Endpoint endpoint;
    private final Set<UUID> captureIds = ConcurrentHashMap.newKeySet();
    private final Set<UUID> deliveryIds = ConcurrentHashMap.newKeySet();
    private final List<Part> unpublished = new ArrayList<>();
    private boolean complete = true;

    private Reading(UUID workspaceId, Endpoint endpoint) {
      this.workspaceId = workspaceId;
      this.endpoint = endpoint;
    }

    private Found run() {
      Rows.of(pool, OUTBOX, workspaceId).forEach(row -> captureIds.add(row.getUUID("capture_id")));
      new Backfills(pool)
          .unfinished(endpoint.id())
          .ifPresent(
              history -> unpublished.add(new Part(history.nextPosition(), history.lastPosition())));
      CatchUp catchUp = catchUp();
      unpublished.add(catchUp.unpublished());
      readTopics(
          topics.fanOutGroup(),
          name -> name.startsWith(topics.capturesProcessed()),
          workspaceId,
          this::processed);
      readTopics(
          topics.dispatcherGroup(),
          name -> name.startsWith(topics.deliveries()) && !name.equals(topics.exhausted()),
          endpoint.id(),
          this::owed);
      unpublished.add(catchUp().unpublishedSince(catchUp));
      return new Found(captureIds, deliveryIds, unpublished, complete);
    }

    private CatchUp catchUp() {
      return Rows.one(Rows.of(pool, CATCH_UP, endpoint.id()), CatchUp::of).orElse(CatchUp.NONE);
    }

    private void readTopics(
        String group, Predicate<String> names, UUID key, Consumer<byte[]> reader) {
      boolean all =
          UnconsumedRecords.read(
                  executor, settings, group, names, key.toString(), value -> readOne(reader, value))
              .await();
      complete = complete && all;
    }

    /** The dispatcher skips unreadable records, too, and leaves those of a newer release. */
    private void readOne(Consumer<byte[]> reader, byte[] value) {
      try {
        reader.accept(value);
      } catch (NewerRecordException newer) {
        complete = false;
      } catch (RuntimeException unreadable) {
        log.debug("Skipped a record that cannot be read", unreadable);
      }
    }

    private void processed(byte[] value) {
      ProcessedCapture capture = ProcessedCapture.decode(Buffer.buffer(value), null);
      if (capture.workspaceId().equals(workspaceId)) {
        captureIds.add(capture.captureId());
      }
    }

    private void owed(byte[] value) {
      Delivery delivery = Delivery.decode(value);
      if (delivery.endpointId().equals(endpoint.id())) {
        captureIds.add(delivery.captureId());
        if (delivery.replayId() != null) {
          deliveryIds.add(delivery.id());
        }
      }
    }
  }
}
