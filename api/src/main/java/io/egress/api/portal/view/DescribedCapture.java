package io.egress.api.portal.view;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A summary of a capture's current document. */
public record DescribedCapture(
    String title, Instant startedAt, @Nullable String device, List<String> speakers) {
  public DescribedCapture {
    speakers = List.copyOf(speakers);
  }
}
