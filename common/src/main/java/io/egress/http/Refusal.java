package io.egress.http;

import static java.util.Objects.requireNonNull;

/**
 * A request answered with an error status on purpose. Carries no stack: it is an answer, not a
 * fault.
 */
public final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String reason;

  public Refusal(int status, String reason) {
    super(reason, null, false, false);
    this.status = status;
    this.reason = requireNonNull(reason, "reason is null");
  }

  public int status() {
    return status;
  }

  public String reason() {
    return reason;
  }
}
