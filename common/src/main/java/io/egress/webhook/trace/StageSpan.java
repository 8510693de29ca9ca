package io.egress.webhook.trace;

import org.jspecify.annotations.Nullable;

/** The span of one stage of a capture. May be ended on any thread, once. */
public interface StageSpan {
  /** The parent of the next stage. */
  String traceparent();

  /** {@code failure} is null if the stage succeeded. */
  void end(@Nullable Throwable failure);
}
