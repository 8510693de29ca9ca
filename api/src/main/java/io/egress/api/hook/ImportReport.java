package io.egress.api.hook;

import io.egress.platform.http.Refusal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** The results of an import's lines. */
final class ImportReport {
  /** The import stops at this many rejected lines: it is probably the wrong file. */
  static final int REFUSED_MAX = 10_000;

  /** Reasons are held in memory until the import ends. */
  static final int REASON_CHARS_MAX = 1024 * 1024;

  private final HookMeters meters;
  private final JsonArray refused = new JsonArray();
  private long created;
  private long updated;
  private long unchanged;
  private long reasonChars;
  private long stoppedAtLine;

  ImportReport(HookMeters meters) {
    this.meters = meters;
  }

  void count(long line, PutResult result) {
    Refusal refusal = result.refusal();
    if (refusal != null) {
      refuse(line, refusal.toString());
      return;
    }
    meters.imported(result);
    switch (result) {
      case CREATED -> created++;
      case UPDATED -> updated++;
      case UNCHANGED -> unchanged++;
      case OTHER_WORKSPACE, ERASED, ENDED ->
          throw new IllegalStateException(result + " has a refusal");
    }
  }

  void refuse(long line, String reason) {
    if (stoppedAtLine > 0) {
      return;
    }
    meters.refusedLine();
    refused.add(new JsonObject().put("line", line).put("reason", reason));
    reasonChars += reason.length();
    if (refused.size() == REFUSED_MAX || reasonChars >= REASON_CHARS_MAX) {
      stoppedAtLine = line;
    }
  }

  boolean stopped() {
    return stoppedAtLine > 0;
  }

  JsonObject json() {
    JsonObject json =
        new JsonObject()
            .put("created", created)
            .put("updated", updated)
            .put("unchanged", unchanged)
            .put("refused", refused);
    return stopped() ? json.put("stopped_at_line", stoppedAtLine) : json;
  }
}
