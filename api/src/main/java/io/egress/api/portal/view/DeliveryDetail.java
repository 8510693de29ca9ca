package io.egress.api.portal.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A delivery with its capture and its attempts. */
public record DeliveryDetail(
    DeliveryRow row,
    String endpointUrl,
    @Nullable DescribedCapture capture,
    List<AttemptRow> attempts) {
  public DeliveryDetail {
    attempts = List.copyOf(attempts);
  }

  /** Whether the page may still change. */
  public boolean isOpen() {
    return row.state().equals("pending");
  }
}
