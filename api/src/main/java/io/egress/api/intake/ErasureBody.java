package io.egress.api.intake;

/** The body of a request to erase a capture. */
public final class ErasureBody {
  private static final int REASON_CHARACTERS_MAX = 500;
  private static final Shape SHAPE = Shape.of("reason");

  private ErasureBody() {}

  /** Why it is erased. Readers of the stream see it, too. */
  public static Intake<String> reason(GivenBody body) {
    return Intake.read(body, SHAPE, fields -> fields.text("reason", REASON_CHARACTERS_MAX));
  }
}
