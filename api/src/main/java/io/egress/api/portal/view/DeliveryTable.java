package io.egress.api.portal.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list of deliveries.
 *
 * @param filtered whether a filter was set
 * @param searched whether the query may have examined many other deliveries; the page then polls
 *     less often
 * @param replayOfAll the path, below that of endpoints, of the form that replays what matches; null
 *     if there is none
 * @param undeliveredOfAll the query of the page that sends to all endpoints again what was given up
 *     or skipped, as it matches; null if something else matches
 * @param filters as a query, empty or ending with an ampersand
 * @param older the query of the next page, null on the last one
 */
public record DeliveryTable(
    List<DeliveryRow> rows,
    boolean filtered,
    boolean searched,
    @Nullable String replayOfAll,
    @Nullable String undeliveredOfAll,
    String filters,
    @Nullable String older) {
  /** Shown while a filter is invalid. */
  public static final DeliveryTable NOTHING =
      new DeliveryTable(List.of(), true, false, null, null, "", null);

  public DeliveryTable {
    rows = List.copyOf(rows);
  }
}
