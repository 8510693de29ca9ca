package io.egress.api.intake;

import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The body of a request for a new API key. */
public final class KeyBody {
  private static final int NAME_CHARACTERS_MAX = 320;
  private static final Duration LIFETIME_MIN = Duration.ofMinutes(1);
  private static final Duration LIFETIME_MAX = Duration.ofDays(3_650);
  private static final Shape SHAPE = Shape.of("name", "expires_in");

  /**
   * A key to be created.
   *
   * @param expiresIn null for a key that does not expire
   */
  public record NewKey(String name, @Nullable Duration expiresIn) {}

  private KeyBody() {}

  public static Intake<NewKey> read(Buffer body) {
    return Intake.read(
        body,
        SHAPE,
        fields ->
            new NewKey(
                fields.text("name", NAME_CHARACTERS_MAX),
                fields.optionalDuration("expires_in", LIFETIME_MIN, LIFETIME_MAX)));
  }
}
