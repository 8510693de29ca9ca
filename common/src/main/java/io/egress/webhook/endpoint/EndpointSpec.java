package io.egress.webhook.endpoint;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.egress.webhook.delivery.Event;
import io.egress.webhook.delivery.StreamFilter;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the owner of an endpoint says about it, except secrets. It is read, changed and written as a
 * whole: as JSON in the database, in bodies and in the audit log.
 *
 * @param url in canonical form
 * @param maxPerSecond limits the attempts; null if not set
 * @param maxInFlight limits concurrent attempts; null if not set
 * @param standardWebhooks how its webhooks are signed by Standard Webhooks, too
 * @param events what it subscribes to
 * @param payload what the data of a webhook is, unless its capture was erased
 * @param compress whether bodies are sent compressed
 * @param filter what it wants of its workspace's stream, from now on; null for everything
 */
public record EndpointSpec(
    String url,
    @Nullable String description,
    @Nullable Integer maxPerSecond,
    @Nullable Integer maxInFlight,
    StandardWebhooks standardWebhooks,
    Set<Event> events,
    Payload payload,
    boolean compress,
    @Nullable StreamFilter filter) {
  /** The limits of attempts to an endpoint; null if not set. */
  public record Limits(@Nullable Integer maxPerSecond, @Nullable Integer maxInFlight) {
    public static final Limits NONE = new Limits(null, null);
  }

  public static final int PER_SECOND_MAX = 10_000;

  /** The default number of concurrent attempts. */
  public static final int IN_FLIGHT_MAX = 64;

  public EndpointSpec {
    EnumSet<Event> all = EnumSet.of(Event.CAPTURE_PROCESSED);
    if (events != null) {
      // An event of a newer release was read as null.
      events.stream().filter(Objects::nonNull).forEach(all::add);
    }
    events = Collections.unmodifiableSet(all);
    standardWebhooks = standardWebhooks == null ? StandardWebhooks.OFF : standardWebhooks;
    payload = payload == null ? Payload.DOCUMENT : payload;
  }

  /** One that says nothing but the URL. */
  public static EndpointSpec of(String url) {
    return new EndpointSpec(
        url, null, null, null, StandardWebhooks.OFF, Set.of(), Payload.DOCUMENT, false, null);
  }

  @JsonIgnore
  public Limits limits() {
    return new Limits(maxPerSecond, maxInFlight);
  }
}
