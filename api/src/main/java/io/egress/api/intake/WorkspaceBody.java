package io.egress.api.intake;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A change of a workspace.
 *
 * @param changesName whether the name is set, possibly to null
 * @param name null for none
 * @param changesRetention whether the retention is set, possibly to null
 * @param retention how long captures are kept; null for as long as the service says
 * @param legalHold null to leave it as it is
 * @param maxEndpoints how many it may have, as {@code maxKeys}; null for as many as others
 */
public record WorkspaceBody(
    boolean changesName,
    @Nullable String name,
    boolean changesRetention,
    @Nullable Duration retention,
    @Nullable Boolean legalHold,
    boolean changesMaxEndpoints,
    @Nullable Long maxEndpoints,
    boolean changesMaxKeys,
    @Nullable Long maxKeys) {
  private static final long COUNT_MAX = 100_000;
  private static final int NAME_CHARACTERS_MAX = 200;
  private static final Duration RETENTION_MIN = Duration.ofMinutes(1);
  private static final Duration RETENTION_MAX = Duration.ofDays(36_500);
  private static final List<String> FIELDS =
      List.of("name", "retention", "legal_hold", "max_endpoints", "max_keys");
  private static final Shape SHAPE = Shape.of(FIELDS.toArray(String[]::new));

  public static Intake<WorkspaceBody> read(GivenBody body) {
    return Intake.read(body, SHAPE, WorkspaceBody::from);
  }

  private static WorkspaceBody from(Fields fields) {
    if (FIELDS.stream().noneMatch(fields::has)) {
      fields.faultOfAll("one of %s is required".formatted(String.join(", ", FIELDS)));
    }
    return new WorkspaceBody(
        fields.has("name"),
        fields.optionalText("name", NAME_CHARACTERS_MAX),
        fields.has("retention"),
        fields.optionalDuration("retention", RETENTION_MIN, RETENTION_MAX),
        fields.has("legal_hold") ? fields.flag("legal_hold") : null,
        fields.has("max_endpoints"),
        fields.optionalWhole("max_endpoints", 1, COUNT_MAX),
        fields.has("max_keys"),
        fields.optionalWhole("max_keys", 1, COUNT_MAX));
  }
}
