package io.egress.api.intake;

import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A change of how long a workspace's captures are kept.
 *
 * @param changesRetention whether the retention is set, possibly to null
 * @param retention null for that of the service
 * @param legalHold null to leave it as it is
 */
public record RetentionBody(
    boolean changesRetention, @Nullable Duration retention, @Nullable Boolean legalHold) {
  private static final Duration RETENTION_MIN = Duration.ofMinutes(1);
  private static final Duration RETENTION_MAX = Duration.ofDays(36_500);
  private static final Shape SHAPE = Shape.of("retention", "legal_hold");

  public static Intake<RetentionBody> read(Buffer body) {
    return Intake.read(body, SHAPE, RetentionBody::from);
  }

  private static RetentionBody from(Fields fields) {
    if (!fields.has("retention") && !fields.has("legal_hold")) {
      fields.faultOfAll("retention or legal_hold is required");
    }
    return new RetentionBody(
        fields.has("retention"),
        fields.optionalDuration("retention", RETENTION_MIN, RETENTION_MAX),
        fields.has("legal_hold") ? fields.flag("legal_hold") : null);
  }
}
