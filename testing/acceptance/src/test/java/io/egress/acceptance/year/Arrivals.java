package io.egress.acceptance.year;

import static io.egress.acceptance.BothRoles.done;
import static java.util.Objects.requireNonNull;

import io.egress.standalone.receiver.WebhookVerifier;
import io.egress.standalone.receiver.WebhookVerifier.Verdict;
import io.egress.testing.MovableClock;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Receivers by name behind one HTTP server, what reached them, and what they did with it. */
final class Arrivals {
  /** What a receiver does. */
  enum Manner {
    FINE,
    /** Refuses a third of the captures three times, and a sixth for good. */
    FLAKY,
    /** Asks for two hours with the first attempt of each capture. */
    LATER,
    /** Is down for four days of nine, longer than all attempts of a delivery. */
    DAYS_OFF,
    DEAD
  }

  /**
   * Of a delivery.
   *
   * @param title that of the document, if there was one
   * @param stale it was signed when its sender did not know yet that the clock had moved
   */
  record Arrival(
      String event,
      UUID delivery,
      UUID capture,
      Instant at,
      boolean accepted,
      @Nullable String title,
      boolean stale) {}

  /** How long a role may go by the time before a move. */
  private static final Duration MOVING = Duration.ofSeconds(3);

  private static final int FLAKY_ATTEMPTS = 3;
  private static final String ASKED_SECONDS = "7200";

  private record Receiver(Manner manner, Promise<String> first, List<Arrival> arrivals) {}

  private final Map<String, Receiver> receivers = new ConcurrentHashMap<>();
  private final Map<String, String> secrets = new ConcurrentHashMap<>();
  private final MovableClock clock;
  private final Violations violations;
  private final int port;

  Arrivals(Vertx vertx, MovableClock clock, Violations violations) {
    this.clock = clock;
    this.violations = violations;
    this.port =
        done(vertx.createHttpServer().requestHandler(this::receive).listen(0, "127.0.0.1"))
            .actualPort();
  }

  /** The URL of a new receiver. */
  String open(String name, Manner manner) {
    receivers.put(name, new Receiver(manner, Promise.promise(), new CopyOnWriteArrayList<>()));
    return "http://127.0.0.1:" + port + "/" + name;
  }

  /** What is signed otherwise is a violation. */
  void expect(String name, String secret) {
    secrets.put(name, secret);
    receiver(name).first().tryComplete(secret);
  }

  List<Arrival> at(String name) {
    return receiver(name).arrivals();
  }

  private Receiver receiver(String name) {
    return requireNonNull(receivers.get(name), name);
  }

  static boolean isDayOff(Instant at) {
    return at.atZone(ZoneOffset.UTC).toLocalDate().toEpochDay() % 9 < 4;
  }

  private void receive(HttpServerRequest request) {
    String name = request.path().substring(1);
    Receiver receiver = receiver(name);
    request
        .body()
        .onSuccess(body -> receiver.first().future().onSuccess(_ -> take(request, receiver, body)));
  }

  /** The secret is known only after the call that creates the endpoint. */
  private void take(HttpServerRequest request, Receiver receiver, Buffer body) {
    String name = request.path().substring(1);
    Instant now = clock.instant();
    Verdict verdict =
        new WebhookVerifier(secrets.getOrDefault(name, ""), () -> now)
            .verify(request.headers(), body);
    boolean stale = verdict instanceof Verdict.Refused;
    violations.unless(
        !stale || clock.sinceMoved().compareTo(MOVING) < 0,
        "%s does not believe a webhook at %s: %s",
        name,
        now,
        verdict);
    String event = request.getHeader("x-service-event");
    UUID delivery = UUID.fromString(request.getHeader("x-service-delivery"));
    JsonObject data = body.toJsonObject().getJsonObject("data");
    UUID capture = UUID.fromString(data.getString("id"));
    boolean accepted = !stale && accepts(receiver, event, capture, now);
    String title = data.getString("title");
    receiver.arrivals().add(new Arrival(event, delivery, capture, now, accepted, title, stale));
    if (!accepted && receiver.manner() == Manner.LATER) {
      request.response().putHeader("retry-after", ASKED_SECONDS);
    }
    // An answer that repeats what it was sent has to be forgotten with it.
    request
        .response()
        .setStatusCode(accepted ? 200 : 503)
        .end((accepted ? "took " : "not now: ") + title);
  }

  private static boolean accepts(Receiver receiver, String event, UUID capture, Instant now) {
    long before =
        receiver.arrivals().stream()
            .filter(each -> each.capture().equals(capture) && each.event().equals(event))
            .count();
    return switch (receiver.manner()) {
      case FINE -> true;
      case FLAKY ->
          switch ((int) Math.floorMod(capture.getLeastSignificantBits(), 6L)) {
            case 0, 1 -> before >= FLAKY_ATTEMPTS;
            case 2 -> false;
            default -> true;
          };
      case LATER -> before > 0;
      case DAYS_OFF -> !isDayOff(now);
      case DEAD -> false;
    };
  }
}
