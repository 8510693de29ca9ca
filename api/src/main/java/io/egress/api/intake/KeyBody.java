package io.egress.api.intake;

import io.egress.webhook.delivery.StreamFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The bodies of requests that create an API key, or change when it expires. */
public final class KeyBody {
  public static final Duration LIFETIME_MAX = Duration.ofDays(3_650);

  private static final int NAME_CHARACTERS_MAX = 320;
  private static final Duration LIFETIME_MIN = Duration.ofMinutes(1);

  private static final Shape SHAPE =
      Shape.of(Stream.concat(Stream.of("name", "expires_in"), FilterBody.PATHS.stream()));
  private static final Shape EXPIRY = Shape.of("expires_in", "expires_at", "extend");

  /**
   * A key to be created.
   *
   * @param expiresIn null for a key that does not expire
   * @param filter which captures it reads; null for all
   */
  public record NewKey(String name, @Nullable Duration expiresIn, @Nullable StreamFilter filter) {}

  /**
   * When an existing key is to expire: after a time, at an instant, or, if both are null, never.
   *
   * @param extend whether this may be later than before
   */
  public record Expiry(@Nullable Duration expiresIn, @Nullable Instant expiresAt, boolean extend) {}

  private KeyBody() {}

  public static Intake<NewKey> read(GivenBody body) {
    return Intake.read(
        body,
        SHAPE,
        fields ->
            new NewKey(
                fields.text("name", NAME_CHARACTERS_MAX),
                fields.optionalDuration("expires_in", LIFETIME_MIN, LIFETIME_MAX),
                FilterBody.read(fields)));
  }

  public static Intake<Expiry> expiry(GivenBody body) {
    return Intake.read(body, EXPIRY, KeyBody::expiry);
  }

  private static Expiry expiry(Fields fields) {
    if (fields.has("expires_in") == fields.has("expires_at")) {
      fields.faultOfAll("either expires_in or expires_at is required; null for never");
    }
    return new Expiry(
        fields.optionalDuration("expires_in", LIFETIME_MIN, LIFETIME_MAX),
        fields.optionalInstant("expires_at"),
        fields.optionalFlag("extend", false));
  }
}
