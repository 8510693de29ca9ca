package io.egress.dispatcher.fanout;

import io.egress.platform.kafka.RecordPublisher;
import io.egress.platform.kafka.RecordPublisher.Message;
import io.egress.transcript.stream.ProcessedCapture;
import io.egress.webhook.backfill.CatchUps;
import io.egress.webhook.backfill.CatchUps.Covered;
import io.egress.webhook.delivery.EnteredCapture;
import io.egress.webhook.delivery.Traits;
import io.egress.webhook.endpoint.Subscriber;
import io.egress.webhook.endpoint.Subscribers;
import io.egress.webhook.queue.Topics;
import io.egress.webhook.trace.Tracing;
import io.egress.webhook.turn.DuePages;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes a delivery of a capture for every endpoint that was created before it and wants it.
 * Repeating this publishes the same deliveries, with the same ids.
 *
 * <p>Of one workspace, only so many are published at a time: beyond that its endpoints fall behind,
 * and are sent the rest from the stream. The deliveries of others would otherwise wait behind
 * theirs.
 */
final class FanOut {
  private static final Logger log = LoggerFactory.getLogger(FanOut.class);

  /** Deliveries published per batch; a capture may have thousands of endpoints. */
  private static final int PUBLISHED_MAX = 10_000;

  /** Deliveries of one workspace published at a time, and the rest of the capture's. */
  private static final int OF_WORKSPACE_MAX = 2_000;

  /** The endpoints, and what their filters look at, keyed by capture. */
  private record Owing(Subscribers subscribers, Map<UUID, Traits> traits) {
    List<Subscriber> subscribers(ProcessedCapture capture) {
      return subscribers.of(capture);
    }

    EnteredCapture entered(ProcessedCapture capture) {
      return new EnteredCapture(
          capture.position(),
          capture.captureId(),
          capture.enteredAt(),
          traits.get(capture.captureId()));
    }
  }

  private final Pool pool;
  private final CatchUps catchUps;
  private final DuePages pages;
  private final RecordPublisher publisher;
  private final Topics topics;
  private final FanOutMeters meters;
  private final Tracing tracing;

  FanOut(
      Pool pool, RecordPublisher publisher, Topics topics, FanOutMeters meters, Tracing tracing) {
    this.pool = pool;
    this.catchUps = new CatchUps(pool);
    this.pages = new DuePages(pool);
    this.publisher = publisher;
    this.topics = topics;
    this.meters = meters;
    this.tracing = tracing;
  }

  /** Completes once all deliveries are acknowledged. */
  Future<Void> owe(List<ProcessedCapture> records) {
    return Subscribers.of(pool, records)
        .compose(subscribers -> {
          List<ProcessedCapture> captures = records.stream().filter(subscribers::isOwn).toList();
          return traits(captures, subscribers)
              .compose(traits -> {
                Owing owing = new Owing(subscribers, traits);
                return new Batch(captures, owing).publish().compose(_ -> wake(captures, owing));
              })
              .onSuccess(_ -> {
                meters.owed(captures);
                refuse(records.stream().filter(record -> !subscribers.isOwn(record)).toList());
              });
        });
  }

  private void refuse(List<ProcessedCapture> foreign) {
    for (ProcessedCapture record : foreign) {
      log.atError()
          .addKeyValue("capture_id", record.captureId())
          .addKeyValue("workspace_id", record.workspaceId())
          .log("Refused to fan out a capture of another workspace than its record says");
    }
    meters.foreign(foreign.size());
  }

  /** Only of captures that a filter looks at. */
  private Future<Map<UUID, Traits>> traits(
      List<ProcessedCapture> captures, Subscribers subscribers) {
    List<UUID> ids =
        captures.stream()
            .filter(capture ->
                subscribers.of(capture).stream()
                    .anyMatch(each -> each.owed().isFilteredAt(capture.position())))
            .map(ProcessedCapture::captureId)
            .toList();
    return ids.isEmpty() ? Future.succeededFuture(Map.of()) : Traits.read(pool, ids);
  }

  /** Endpoints that are sent pages hear only of the first capture after they came to rest. */
  private Future<Void> wake(List<ProcessedCapture> captures, Owing owing) {
    Set<UUID> woken = new HashSet<>();
    for (ProcessedCapture capture : captures) {
      for (Subscriber each : owing.subscribers(capture)) {
        if (each.rests() && each.isWokenBy(owing.entered(capture))) {
          woken.add(each.id());
        }
      }
    }
    return woken.isEmpty()
        ? Future.succeededFuture()
        : pages
            .wake(woken)
            .compose(records ->
                publisher.publish(
                    records.stream().map(turn -> turn.toRecord(topics.deliveries())).toList()));
  }

  private Message message(EnteredCapture capture, Subscriber subscriber, @Nullable String parent) {
    return subscriber.owed().first(capture).tracedBy(parent).toRecord(topics.deliveries());
  }

  /** Captures that are fanned out together. */
  private final class Batch {
    private final List<ProcessedCapture> captures;
    private final Owing owing;

    /**
     * The first position that is beyond its workspace's share, of each endpoint that falls behind.
     */
    private final Map<UUID, Long> fallen = new HashMap<>();

    private Batch(List<ProcessedCapture> captures, Owing owing) {
      this.captures = captures;
      this.owing = owing;
    }

    /** What falls behind is stored first: repeating that costs little, and publishing much. */
    private Future<Void> publish() {
      if (owedAtMost() > OF_WORKSPACE_MAX) {
        share();
      }
      return fallen.isEmpty()
          ? publish(0, Map.of())
          : catchUps.fallBehind(fallen).compose(covered -> publish(0, covered));
    }

    private int owedAtMost() {
      return captures.stream().mapToInt(capture -> owing.subscribers(capture).size()).sum();
    }

    private void share() {
      Map<UUID, Integer> shared = new HashMap<>();
      for (ProcessedCapture capture : captures) {
        int before = shared.getOrDefault(capture.workspaceId(), 0);
        int more = 0;
        EnteredCapture entered = owing.entered(capture);
        for (Subscriber each : owing.subscribers(capture)) {
          if (each.getsLive(entered)) {
            if (before >= OF_WORKSPACE_MAX || fallen.containsKey(each.id())) {
              fallen.merge(each.id(), capture.position(), Math::min);
            } else {
              more++;
            }
          }
        }
        shared.put(capture.workspaceId(), before + more);
      }
    }

    /**
     * Whether fan-out publishes it, and not a catch-up. An endpoint may have been behind already,
     * from a later position on.
     */
    private boolean isLive(
        ProcessedCapture capture, Subscriber subscriber, Map<UUID, Covered> covered) {
      Long from = fallen.get(subscriber.id());
      return from == null
          || capture.position() < from
          || !covered.getOrDefault(subscriber.id(), Covered.NOTHING).contains(capture.position());
    }

    /** {@code from} is the index of the next capture. */
    private Future<Void> publish(int from, Map<UUID, Covered> covered) {
      List<Message> messages = new ArrayList<>();
      Tracing.Batch traced = tracing.batch();
      int next = from;
      while (next < captures.size() && messages.size() < PUBLISHED_MAX) {
        ProcessedCapture capture = captures.get(next++);
        String parent = traced.fanOut(capture, topics.capturesProcessed());
        EnteredCapture entered = owing.entered(capture);
        for (Subscriber each : owing.subscribers(capture)) {
          if (each.getsLive(entered) && isLive(capture, each, covered)) {
            messages.add(message(entered, each, parent));
          }
        }
      }
      int reached = next;
      Future<Void> published =
          publisher
              .publish(messages)
              .onComplete(traced::end)
              .onSuccess(_ -> meters.made(messages.size()));
      return reached == captures.size()
          ? published
          : published.compose(_ -> publish(reached, covered));
    }
  }
}
