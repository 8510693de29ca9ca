package io.egress.platform.trace;

import org.jspecify.annotations.Nullable;

/** The span of a request being served. */
public interface RequestSpan {
  /** The parent of the capture's spans; null if the trace is not sampled. */
  @Nullable String traceparent();

  /** {@code path} contains only ids of the client's data. */
  void matched(String method, String route, String path);
}
