package io.egress.cli.mirror;

import java.io.IOException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A request to a bucket failed. */
class ObjectStoreException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  private final String reason;

  ObjectStoreException(String reason, @Nullable Throwable cause) {
    super(reason, cause);
    this.reason = reason;
  }

  /** In words of the user. */
  String reason() {
    return reason;
  }

  /** The object is not as the request required, or is being written by another request. */
  static final class ConditionFailed extends ObjectStoreException {
    @Serial private static final long serialVersionUID = 1L;

    ConditionFailed(@Nullable Throwable cause) {
      super("the object has changed meanwhile", cause);
    }
  }

  /** The bucket refuses a request that is well-formed. */
  static final class Refused extends ObjectStoreException {
    @Serial private static final long serialVersionUID = 1L;

    Refused(String reason, @Nullable Throwable cause) {
      super(reason, cause);
    }
  }
}
