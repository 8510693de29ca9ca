package io.egress.webhook.trace;

import io.vertx.core.AsyncResult;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The spans of work done together, which end together. Untraced members take no memory. */
public final class TracedBatch {
  private @Nullable List<StageSpan> spans;

  /**
   * The header for the next stage. A stage without a span passes on its own parent, for processes
   * that trace.
   */
  public @Nullable String add(@Nullable StageSpan span, @Nullable String parent) {
    if (span == null) {
      return parent;
    }
    if (spans == null) {
      spans = new ArrayList<>();
    }
    spans.add(span);
    return span.traceparent();
  }

  public void end(AsyncResult<?> result) {
    if (spans != null) {
      spans.forEach(span -> span.end(result.cause()));
    }
  }
}
