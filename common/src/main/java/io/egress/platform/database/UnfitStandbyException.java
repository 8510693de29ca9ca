package io.egress.platform.database;

/** The server is not a standby, or one that is too far behind. */
final class UnfitStandbyException extends NoServerException {
  private static final long serialVersionUID = 1L;

  private final Standby.Unfit reason;

  UnfitStandbyException(Standby.Unfit reason, String message) {
    super(message, null, true);
    this.reason = reason;
  }

  Standby.Unfit reason() {
    return reason;
  }
}
