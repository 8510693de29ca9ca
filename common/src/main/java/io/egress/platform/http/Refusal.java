package io.egress.platform.http;

/**
 * A request answered with an error status on purpose. It has no stack trace, because it is a
 * response and not a fault.
 */
public final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String reason;
  private final boolean closing;

  public Refusal(int status, String reason) {
    this(status, reason, false);
  }

  private Refusal(int status, String reason, boolean closing) {
    super(reason, null, false, false);
    this.status = status;
    this.reason = reason;
    this.closing = closing;
  }

  /** The end of the request cannot be determined, so its connection cannot be reused. */
  public static Refusal closing(int status, String reason) {
    return new Refusal(status, reason, true);
  }

  /** As it is logged. */
  @Override
  @SuppressWarnings("OverrideThrowableToString")
  public String toString() {
    return reason;
  }

  public int status() {
    return status;
  }

  public String reason() {
    return reason;
  }

  boolean isClosing() {
    return closing;
  }
}
