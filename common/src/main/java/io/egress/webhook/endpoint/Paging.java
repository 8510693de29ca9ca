package io.egress.webhook.endpoint;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How far an endpoint is that is sent the stream itself. Nothing but {@code delivery} is given of
 * one that is not.
 *
 * @param batch the most captures of a page
 * @param maxBody the most bytes of a page with more than one capture
 * @param position what was accepted, or is passed over
 * @param behind how much has entered the stream since, whether or not it is wanted
 * @param changesPosition the number of the last change that was accepted, or is passed over; null
 *     unless it subscribes to changes
 * @param held what it waits for
 */
public record Paging(
    DeliveryMode delivery,
    @Nullable Integer batch,
    @Nullable Integer maxBody,
    @Nullable Long position,
    @Nullable Long behind,
    @Nullable Long changesPosition,
    @Nullable Held held) {
  /** A capture that the receiver refuses by itself: nothing is sent before it is accepted. */
  public record Held(UUID captureId, Instant since, String outcome, @Nullable Integer status) {}

  /** What is said of it when the endpoint is created. */
  public record Wanted(int batch, int maxBody) {
    public static final Wanted DEFAULT = new Wanted(BATCH_MAX, MAX_BODY_DEFAULT);
  }

  public static final int BATCH_MAX = 100;
  public static final int MAX_BODY_MIN = 64 << 10;
  public static final int MAX_BODY_MAX = 16 << 20;

  /** The default limit of nginx. */
  public static final int MAX_BODY_DEFAULT = 1 << 20;

  public static final Paging NONE =
      new Paging(DeliveryMode.EACH, null, null, null, null, null, null);

  @JsonIgnore
  public boolean isStream() {
    return delivery == DeliveryMode.STREAM;
  }
}
