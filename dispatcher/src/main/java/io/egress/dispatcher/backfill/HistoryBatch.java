package io.egress.dispatcher.backfill;

import io.egress.delivery.Delivery;
import java.util.List;

/**
 * The next deliveries of a history.
 *
 * @param nextPosition where the history goes on after them
 * @param last whether it ends with them
 */
record HistoryBatch(List<Delivery> deliveries, long nextPosition, boolean last) {
  HistoryBatch {
    deliveries = List.copyOf(deliveries);
  }
}
