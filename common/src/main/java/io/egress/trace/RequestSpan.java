package io.egress.trace;

import org.jspecify.annotations.Nullable;

/** A request being served. */
public interface RequestSpan {
  /** What the capture that it brings follows; null where the trace is not sampled. */
  @Nullable String traceparent();

  /** {@code path} shows of what the client sent ids only. */
  void matched(String method, String route, String path);
}
