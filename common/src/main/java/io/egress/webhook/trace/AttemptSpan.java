package io.egress.webhook.trace;

import io.egress.webhook.send.Outcome;
import org.jspecify.annotations.Nullable;

/** The span of one attempt of a delivery. */
public interface AttemptSpan {
  /** The header for the receiver; null unless the operator has enabled it. */
  @Nullable String traceparent();

  void end(Outcome outcome);
}
