package io.egress.api.portal;

import static java.util.Objects.requireNonNull;

import io.egress.api.audit.AuditEntries;
import io.egress.api.audit.AuditEntry;
import io.egress.api.audit.AuditQuestion;
import io.egress.api.portal.access.PortalSession;
import io.egress.api.portal.view.AuditRow;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.Map;
import java.util.stream.Collectors;

/** The audit log of a workspace. */
final class AuditPage {
  private static final int LISTED_MAX = 50;

  private final PageRenderer pages;
  private final AuditEntries audit;

  AuditPage(PageRenderer pages, AuditEntries audit) {
    this.pages = requireNonNull(pages, "pages is null");
    this.audit = requireNonNull(audit, "audit is null");
  }

  Future<Void> list(RoutingContext exchange, PortalSession session) {
    MultiMap query = MultiMap.caseInsensitiveMultiMap();
    String after = exchange.queryParams().get("after");
    if (after != null) {
      query.add("after", after);
    }
    AuditQuestion question = AuditQuestion.from(session.workspaceId(), query, LISTED_MAX);
    return audit
        .page(question, LISTED_MAX)
        .map(
            page -> {
              String cursor = page.cursor();
              return pages.send(
                  exchange,
                  200,
                  "audit",
                  Map.of(
                      "frame", pages.frame(exchange, session, "Audit log", "audit"),
                      "rows", page.entries().stream().map(AuditPage::row).toList(),
                      "older", cursor == null ? "" : cursor));
            });
  }

  private static AuditRow row(AuditEntry entry) {
    return new AuditRow(
        entry.at(),
        entry.actor() == null ? "–" : entry.actor(),
        entry.via(),
        entry.remoteAddress() == null ? "–" : entry.remoteAddress(),
        entry.action(),
        entry.kind(),
        entry.thingId(),
        changes(entry.changes()));
  }

  private static String changes(JsonObject changes) {
    return changes.stream()
        .map(change -> change.getKey() + ": " + change.getValue())
        .collect(Collectors.joining(", "));
  }
}
