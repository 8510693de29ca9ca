package io.egress.dispatcher.backfill;

import io.egress.delivery.Delivery;
import java.util.List;

/**
 * The next deliveries of a history.
 *
 * @param nextPosition the first position of the next batch
 * @param last whether the history ends with this batch
 */
record HistoryBatch(List<Delivery> deliveries, long nextPosition, boolean last) {
  HistoryBatch {
    deliveries = List.copyOf(deliveries);
  }
}
