package io.egress.api.intake;

import io.egress.webhook.backfill.Backfills;

/** The part of a workspace's stream to replay. */
public final class ReplayBody {
  private static final Shape SHAPE = Shape.of("from_position", "from", "to_position", "to", "only");
  private static final Shape ALL = Shape.of("only", "from", "to");
  private static final String UNDELIVERED = "undelivered";
  private static final int ONLY_CHARACTERS_MAX = 20;

  private ReplayBody() {}

  /** A replay of all captures needs an explicit beginning. */
  public static Intake<Backfills.Range> read(GivenBody body) {
    return Intake.read(body, SHAPE, ReplayBody::range);
  }

  /** A replay to all endpoints sends nothing else. */
  public static Intake<Backfills.Range> onlyUndelivered(GivenBody body) {
    return Intake.read(
        body,
        ALL,
        fields -> {
          String only = fields.text("only", ONLY_CHARACTERS_MAX);
          if (!only.isEmpty() && !only.equals(UNDELIVERED)) {
            fields.fault("only", "must be " + UNDELIVERED);
          }
          Period period = Period.of(fields);
          return new Backfills.Range(null, period.from(), null, period.to(), true);
        });
  }

  private static Backfills.Range range(Fields fields) {
    exclude(fields, "from_position", "from");
    exclude(fields, "to_position", "to");
    String only = fields.optionalText("only", ONLY_CHARACTERS_MAX);
    if (only != null && !only.equals(UNDELIVERED)) {
      fields.fault("only", "must be " + UNDELIVERED + " or null");
    }
    if (only == null && !fields.hasValue("from_position") && !fields.hasValue("from")) {
      fields.faultOfAll("from_position or from is required, unless only is " + UNDELIVERED);
    }
    Period period = Period.of(fields);
    Long first = fields.optionalWhole("from_position", 1, Fields.WHOLE_MAX);
    Long last = fields.optionalWhole("to_position", 1, Fields.WHOLE_MAX);
    if (first != null && last != null && last < first) {
      fields.fault("to_position", "must not be less than from_position");
    }
    return new Backfills.Range(first, period.from(), last, period.to(), only != null);
  }

  private static void exclude(Fields fields, String one, String other) {
    if (fields.hasValue(one) && fields.hasValue(other)) {
      fields.faultOfAll(one + " and " + other + " exclude each other");
    }
  }
}
