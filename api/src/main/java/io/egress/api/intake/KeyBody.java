package io.egress.api.intake;

import io.egress.webhook.delivery.StreamFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The bodies of requests that create an API key, or change one. */
public final class KeyBody {
  public static final Duration LIFETIME_MAX = Duration.ofDays(3_650);

  private static final int NAME_CHARACTERS_MAX = 320;
  private static final Duration LIFETIME_MIN = Duration.ofMinutes(1);

  /** The use of a key is stored with a delay. */
  private static final Duration EXPECTED_MIN = Duration.ofMinutes(5);

  private static final Duration EXPECTED_MAX = Duration.ofDays(366);

  private static final Shape SHAPE =
      Shape.of(
          Stream.concat(
              Stream.of("name", "expires_in", "expect_within"), FilterBody.PATHS.stream()));
  private static final Shape CHANGE =
      Shape.of("expires_in", "expires_at", "extend", "expect_within");

  /**
   * A key to be created.
   *
   * @param expiresIn null for a key that does not expire
   * @param expectWithin how often it is expected to pull; null for no expectation
   * @param filter which captures it reads; null for all
   */
  public record NewKey(
      String name,
      @Nullable Duration expiresIn,
      @Nullable Duration expectWithin,
      @Nullable StreamFilter filter) {}

  /**
   * When an existing key is to expire: after a time, at an instant, or, if both are null, never.
   *
   * @param extend whether this may be later than before
   */
  public record Expiry(@Nullable Duration expiresIn, @Nullable Instant expiresAt, boolean extend) {}

  /**
   * How often a key is expected to pull from now on.
   *
   * @param within null for no expectation
   */
  public record Expectation(@Nullable Duration within) {}

  /** What is to be changed of a key; null is left as it is, and one of them is given. */
  public record Change(@Nullable Expiry expiry, @Nullable Expectation expectation) {}

  private KeyBody() {}

  public static Intake<NewKey> read(GivenBody body) {
    return Intake.read(
        body,
        SHAPE,
        fields ->
            new NewKey(
                fields.text("name", NAME_CHARACTERS_MAX),
                fields.optionalDuration("expires_in", LIFETIME_MIN, LIFETIME_MAX),
                expectWithin(fields),
                FilterBody.read(fields)));
  }

  public static Intake<Change> change(GivenBody body) {
    return Intake.read(body, CHANGE, KeyBody::change);
  }

  private static Change change(Fields fields) {
    boolean isExpected = fields.has("expect_within");
    boolean isExpiry = fields.has("expires_in") || fields.has("expires_at");
    if (!isExpected && !isExpiry) {
      fields.faultOfAll("expires_in, expires_at or expect_within is required; null for never");
    }
    return new Change(
        isExpiry ? expiry(fields) : null,
        isExpected ? new Expectation(expectWithin(fields)) : null);
  }

  private static @Nullable Duration expectWithin(Fields fields) {
    return fields.optionalDuration("expect_within", EXPECTED_MIN, EXPECTED_MAX);
  }

  private static Expiry expiry(Fields fields) {
    if (fields.has("expires_in") && fields.has("expires_at")) {
      fields.faultOfAll("only one of expires_in and expires_at is possible");
    }
    return new Expiry(
        fields.optionalDuration("expires_in", LIFETIME_MIN, LIFETIME_MAX),
        fields.optionalInstant("expires_at"),
        fields.optionalFlag("extend", false));
  }
}
