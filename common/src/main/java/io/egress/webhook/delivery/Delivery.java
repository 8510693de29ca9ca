package io.egress.webhook.delivery;

import com.fasterxml.jackson.annotation.JsonValue;
import io.egress.platform.kafka.NewerRecordException;
import io.egress.platform.kafka.RecordPublisher.Message;
import io.egress.transcript.stream.Feed;
import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One capture owed to one endpoint, or its next page, as stored in the delivery topics: ids only,
 * never the document.
 *
 * @param id identifies the chain of attempts; repeated fan-out yields the same id
 * @param captureId {@link #NO_CAPTURE} of a page
 * @param position the capture's; of a page, that before it in its feed
 * @param replayId the replay or redelivery that created it; null for the first delivery of a
 *     capture to an endpoint
 * @param origin why it is owed; kept through all retries
 * @param owedAt when it became owed: when the capture entered the stream, or the endpoint or replay
 *     was created, if that is later. Repeated fan-out yields the same instant.
 * @param attempt the number of the next attempt, from 1
 * @param dueAt the earliest time of the next attempt
 * @param notBefore until when the receiver wants no attempt, if that is later than {@code dueAt},
 *     by which topics are read
 * @param traceparent the span before the first attempt, if the capture is traced; a header of the
 *     record, kept through all retries
 */
public record Delivery(
    UUID id,
    UUID endpointId,
    UUID captureId,
    long position,
    @Nullable UUID replayId,
    Origin origin,
    Instant owedAt,
    int attempt,
    Instant dueAt,
    @Nullable Instant notBefore,
    @Nullable String traceparent) {
  /** Which captures a page has is known when it is sent. */
  public static final UUID NO_CAPTURE = new UUID(0, 0);

  /** Why a delivery is owed. */
  public enum Origin {
    /** The capture entered the stream. */
    LIVE("live"),
    /** The endpoint was created with full history. */
    BACKFILL("backfill"),
    /** A replay of part of the stream. */
    REPLAY("replay"),
    /** A redelivery of this one capture. */
    REDELIVERY("redelivery"),
    /** Sends the endpoint what the capture shows since it changed. */
    UPDATE("update"),
    /** Notifies the endpoint that the capture was erased. */
    ERASURE("erasure"),
    /** The next page of the stream, for an endpoint that is sent pages. */
    PAGE("page"),
    /** The next page of changes, for the same. */
    CHANGES_PAGE("changes_page");

    private static final Set<Origin> OF_PAGES = EnumSet.of(PAGE, CHANGES_PAGE);

    /** Those of deliveries of single captures, which the table of deliveries has. */
    public static final Set<Origin> OF_CAPTURES =
        Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.copyOf(OF_PAGES)));

    private final String word;

    Origin(String word) {
      this.word = word;
    }

    @JsonValue
    public String word() {
      return word;
    }

    public Event event() {
      return switch (this) {
        case LIVE, BACKFILL, REPLAY, REDELIVERY -> Event.CAPTURE_PROCESSED;
        case UPDATE -> Event.CAPTURE_UPDATED;
        case ERASURE -> Event.CAPTURE_ERASED;
        case PAGE -> Event.CAPTURES_PAGE;
        case CHANGES_PAGE -> Event.CHANGES_PAGE;
      };
    }

    public boolean isPage() {
      return OF_PAGES.contains(this);
    }

    private Feed feed() {
      return switch (this) {
        case PAGE -> Feed.CAPTURES;
        case CHANGES_PAGE -> Feed.CHANGES;
        case LIVE, BACKFILL, REPLAY, REDELIVERY, UPDATE, ERASURE ->
            throw new IllegalStateException(word + " is no page");
      };
    }

    /** That of a page. */
    public static Origin ofPage(Feed feed) {
      return switch (feed) {
        case CAPTURES -> PAGE;
        case CHANGES -> CHANGES_PAGE;
      };
    }

    public static Origin of(String word) {
      return find(word)
          .orElseThrow(() -> new IllegalArgumentException("no origin is called " + word));
    }

    /** Empty for one that only a later release knows. */
    public static Optional<Origin> find(String word) {
      for (Origin origin : values()) {
        if (origin.word.equals(word)) {
          return Optional.of(origin);
        }
      }
      return Optional.empty();
    }
  }

  public Delivery {
    if (attempt < 1) {
      throw new IllegalArgumentException("attempt is below 1: " + attempt);
    }
  }

  /** The first delivery of a capture to an endpoint, not attempted yet and due immediately. */
  public static Delivery first(
      UUID id, UUID endpointId, UUID captureId, long position, Origin origin, Instant owedAt) {
    return new Delivery(
        id, endpointId, captureId, position, null, origin, owedAt, 1, owedAt, null, null);
  }

  /** Not attempted yet, and due since the replay was created. */
  public static Delivery replayed(
      UUID replayId,
      UUID endpointId,
      UUID captureId,
      long position,
      Origin origin,
      Instant createdAt) {
    UUID id = DeliveryId.inReplay(replayId, captureId);
    return new Delivery(
        id, endpointId, captureId, position, replayId, origin, createdAt, 1, createdAt, null, null);
  }

  /**
   * Not attempted yet, and due since the capture changed.
   *
   * @param change the number of the change
   */
  public static Delivery updated(
      UUID backfillId,
      UUID endpointId,
      UUID captureId,
      long position,
      long change,
      Instant changedAt) {
    UUID id = DeliveryId.ofUpdate(endpointId, captureId, change);
    return new Delivery(
        id,
        endpointId,
        captureId,
        position,
        backfillId,
        Origin.UPDATE,
        changedAt,
        1,
        changedAt,
        null,
        null);
  }

  /**
   * The page after a position of a feed.
   *
   * @param attempt the number of the next attempt
   */
  public static Delivery page(
      UUID endpointId, Feed feed, long position, int attempt, Instant owedAt, Instant dueAt) {
    return new Delivery(
        DeliveryId.ofPage(endpointId, feed, position),
        endpointId,
        NO_CAPTURE,
        position,
        null,
        Origin.ofPage(feed),
        owedAt,
        attempt,
        dueAt,
        null,
        null);
  }

  public Event event() {
    return origin.event();
  }

  public boolean isPage() {
    return origin.isPage();
  }

  /** Of a page. */
  public Feed feed() {
    return origin.feed();
  }

  /** The next attempt. */
  public Delivery next(Instant due) {
    return next(due, due);
  }

  /** The next attempt, of which the receiver has said when it may be made at the earliest. */
  public Delivery next(Instant due, Instant earliest) {
    return with(attempt + 1, due, earliest.isAfter(due) ? earliest : null, traceparent);
  }

  /** The same attempt at a later time. */
  public Delivery postponed(Instant due) {
    return with(attempt, due, notBefore, traceparent);
  }

  /** The same page, logged with what is owed since then, and counted from another attempt on. */
  public Delivery renewed(Instant since, int number) {
    return new Delivery(
        id,
        endpointId,
        captureId,
        position,
        replayId,
        origin,
        since,
        number,
        dueAt,
        notBefore,
        traceparent);
  }

  /** When the next attempt will be made. */
  public Instant attemptAt() {
    return notBefore == null ? dueAt : notBefore;
  }

  /** The same delivery as part of a trace. */
  public Delivery tracedBy(@Nullable String parent) {
    return parent == null ? this : with(attempt, dueAt, notBefore, parent);
  }

  private Delivery with(
      int number, Instant due, @Nullable Instant earliest, @Nullable String parent) {
    return new Delivery(
        id,
        endpointId,
        captureId,
        position,
        replayId,
        origin,
        owedAt,
        number,
        due,
        earliest,
        parent);
  }

  /** Of a delivery topic, all of whose records are keyed by their endpoints. */
  public Message toRecord(String topic) {
    return new Message(topic, endpointId.toString(), encode(), traceparent);
  }

  /** Without the {@code traceparent}, which is a header and not part of the value. */
  public Buffer encode() {
    return DeliveryJson.encode(this);
  }

  /**
   * Throws {@link NewerRecordException}, or another {@link RuntimeException} if no release can have
   * written the value.
   */
  public static Delivery decode(byte[] value) {
    return DeliveryJson.decode(value);
  }
}
