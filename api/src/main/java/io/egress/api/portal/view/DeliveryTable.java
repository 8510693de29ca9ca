package io.egress.api.portal.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list of deliveries.
 *
 * @param filtered whether only some of them were asked for
 * @param older the query of the next page, null on the last one
 */
public record DeliveryTable(List<DeliveryRow> rows, boolean filtered, @Nullable String older) {
  public DeliveryTable {
    rows = List.copyOf(rows);
  }
}
