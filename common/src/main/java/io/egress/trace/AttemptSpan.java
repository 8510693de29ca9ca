package io.egress.trace;

import io.egress.send.Outcome;
import org.jspecify.annotations.Nullable;

/** One attempt of a delivery, under way. */
public interface AttemptSpan {
  /** The header that the receiver gets; null unless the operator wants it to get one. */
  @Nullable String traceparent();

  void end(Outcome outcome);
}
