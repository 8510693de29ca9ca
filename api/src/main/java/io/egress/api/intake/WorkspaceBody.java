package io.egress.api.intake;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A change of a workspace.
 *
 * @param changesName whether the name is set, possibly to null
 * @param name null for none
 * @param changesRetention whether the retention is set, possibly to null
 * @param retention how long captures are kept; null for as long as the service says
 * @param legalHold null to leave it as it is
 */
public record WorkspaceBody(
    boolean changesName,
    @Nullable String name,
    boolean changesRetention,
    @Nullable Duration retention,
    @Nullable Boolean legalHold) {
  private static final int NAME_CHARACTERS_MAX = 200;
  private static final Duration RETENTION_MIN = Duration.ofMinutes(1);
  private static final Duration RETENTION_MAX = Duration.ofDays(36_500);
  private static final Shape SHAPE = Shape.of("name", "retention", "legal_hold");

  public static Intake<WorkspaceBody> read(GivenBody body) {
    return Intake.read(body, SHAPE, WorkspaceBody::from);
  }

  private static WorkspaceBody from(Fields fields) {
    if (!fields.has("name") && !fields.has("retention") && !fields.has("legal_hold")) {
      fields.faultOfAll("name, retention or legal_hold is required");
    }
    return new WorkspaceBody(
        fields.has("name"),
        fields.optionalText("name", NAME_CHARACTERS_MAX),
        fields.has("retention"),
        fields.optionalDuration("retention", RETENTION_MIN, RETENTION_MAX),
        fields.has("legal_hold") ? fields.flag("legal_hold") : null);
  }
}
