package io.egress.trace;

import org.jspecify.annotations.Nullable;

/** One stage of a capture, under way. May be ended on any thread, once. */
public interface StageSpan {
  /** What the next stage follows. */
  String traceparent();

  /** {@code failure} is null when the stage succeeded. */
  void end(@Nullable Throwable failure);
}
