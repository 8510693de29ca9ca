package io.egress.api.portal.view;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A delivery with its capture and its attempts. */
public record DeliveryDetail(
    DeliveryRow row,
    String endpointUrl,
    @Nullable DescribedCapture capture,
    List<DeliveryDetail.AttemptRow> attempts) {
  /**
   * An attempt.
   *
   * @param answer the beginning of what the receiver said; null where that is not text
   * @param answerBytes how much of it was kept
   */
  public record AttemptRow(
      int number,
      Instant startedAt,
      long millis,
      String outcome,
      @Nullable Integer status,
      @Nullable String detail,
      @Nullable String answer,
      int answerBytes) {
    /** The outcome, and what the receiver's status was. */
    public String result() {
      if (status == null) {
        return outcome;
      }
      return outcome.equals("status") ? "status " + status : outcome + ", status " + status;
    }
  }

  public DeliveryDetail {
    attempts = List.copyOf(attempts);
  }

  /** Whether something may still change. */
  public boolean isOpen() {
    return row.state().equals("pending");
  }
}
