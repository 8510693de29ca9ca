package io.egress.api.portal;

import io.egress.api.admin.deliveries.UndeliveredTotals;
import io.egress.api.portal.view.Confirmation;
import io.egress.api.portal.view.Times;
import io.egress.webhook.backfill.Backfills;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is asked before everything undelivered is sent to all endpoints again. */
final class ReplayText {
  private ReplayText() {}

  static Confirmation confirmation(
      UndeliveredTotals.Total total, Backfills.Range during, String base, String back) {
    if (total.deliveries() == 0) {
      return Confirmation.nothingToDo("Nothing is left to send again.", back);
    }
    String deliveries = counted(total.deliveries(), "delivery", "deliveries");
    String endpoints = counted(total.endpoints(), "endpoint", "endpoints");
    String text =
        (total.hasMore() ? "At least " : "")
            + deliveries
            + " to "
            + endpoints
            + (total.deliveries() == 1 ? " was" : " were")
            + " given up or skipped, and will be sent again, each as a new delivery."
            + part(during.from(), during.to())
            + " Paused endpoints are left out.";
    Map<String, String> fields = new LinkedHashMap<>();
    put(fields, "from", during.from());
    put(fields, "to", during.to());
    return new Confirmation(
        text,
        base + "/replays",
        total.hasMore() ? "Send all again" : "Send " + deliveries + " again",
        "primary",
        fields,
        back);
  }

  private static String counted(long number, String one, String several) {
    return Times.number(number) + " " + (number == 1 ? one : several);
  }

  private static String part(@Nullable Instant from, @Nullable Instant to) {
    if (from == null && to == null) {
      return "";
    }
    return " These are of captures that entered the stream"
        + (from == null ? "" : " from " + Times.shown(from) + " UTC on")
        + (from == null || to == null ? "" : " and")
        + (to == null ? "" : " before " + Times.shown(to) + " UTC")
        + ".";
  }

  private static void put(Map<String, String> fields, String name, @Nullable Instant time) {
    if (time != null) {
      fields.put(name, time.toString());
    }
  }
}
