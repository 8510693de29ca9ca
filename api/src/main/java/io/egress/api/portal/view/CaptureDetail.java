package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import io.egress.api.admin.captures.Captures;
import io.egress.api.admin.captures.FoundCapture;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A capture and its deliveries.
 *
 * @param described what it says; null if it was erased
 * @param receivers the endpoints that get it, as far as its first deliveries name them
 * @param endpoints the number of endpoints of its workspace
 * @param hasMore whether there are more deliveries
 * @param legalHold whether nothing of the workspace is erased at the moment
 */
public record CaptureDetail(
    FoundCapture found,
    Captures.@Nullable Summary described,
    List<CaptureDetail.Receiver> receivers,
    int endpoints,
    boolean hasMore,
    boolean legalHold) {
  /**
   * The deliveries to one endpoint.
   *
   * @param newest the one that is owed since last
   * @param delivered how many of the deliveries were
   */
  public record Receiver(DeliveryRow newest, int deliveries, long delivered) {
    static Receiver of(List<DeliveryRow> rows) {
      DeliveryRow newest =
          rows.stream().max(Comparator.comparing(DeliveryRow::owedAt)).orElseThrow();
      long delivered = rows.stream().filter(DeliveryRow::isDelivered).count();
      return new Receiver(newest, rows.size(), delivered);
    }
  }

  public CaptureDetail {
    requireNonNull(found, "found is null");
    receivers = List.copyOf(receivers);
  }

  /** In the order of each endpoint's first row. */
  public static List<Receiver> receivers(List<DeliveryRow> rows) {
    return rows.stream()
        .collect(
            Collectors.groupingBy(DeliveryRow::endpointId, LinkedHashMap::new, Collectors.toList()))
        .values()
        .stream()
        .map(Receiver::of)
        .toList();
  }

  public boolean isErased() {
    return found.state() == FoundCapture.State.ERASED;
  }

  public String state() {
    return switch (found.state()) {
      case IN_STREAM -> "in the stream";
      case ERASED -> "erased";
      case ENTERING -> "entering the stream";
      case WITHOUT_SEGMENTS -> "not in the stream";
    };
  }

  /** A class of the style sheet. */
  public String color() {
    return switch (found.state()) {
      case IN_STREAM -> "delivered";
      case ERASED -> "none";
      case ENTERING -> "pending";
      case WITHOUT_SEGMENTS -> "skipped";
    };
  }

  /** Why it is not in the stream, or what that means; empty if there is nothing to explain. */
  public String explanation() {
    return switch (found.state()) {
      case IN_STREAM -> "";
      case ERASED ->
          found.position() == null
              ? "It was never in the stream."
              : "Readers no longer get it; its place in the order stays.";
      case ENTERING -> "It is acknowledged, and gets its position in a moment.";
      case WITHOUT_SEGMENTS -> "It has no segments, so it is not finished.";
    };
  }

  /** Endpoints that are owed nothing of it, as far as all deliveries are shown. */
  public int notOwed() {
    return hasMore ? 0 : endpoints - receivers.size();
  }
}
