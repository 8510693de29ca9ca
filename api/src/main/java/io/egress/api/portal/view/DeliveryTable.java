package io.egress.api.portal.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list of deliveries.
 *
 * @param filtered whether only some of them were asked for
 * @param searched whether finding them may have meant to look at many others, so that it is not
 *     repeated as often
 * @param older the query of the next page, null on the last one
 */
public record DeliveryTable(
    List<DeliveryRow> rows, boolean filtered, boolean searched, @Nullable String older) {
  public DeliveryTable {
    rows = List.copyOf(rows);
  }
}
