package io.egress.api.portal;

import static java.util.Objects.requireNonNullElse;

import io.egress.api.admin.audit.AuditEntries;
import io.egress.api.admin.audit.AuditEntry;
import io.egress.api.admin.audit.AuditExport;
import io.egress.api.admin.audit.AuditFilter;
import io.egress.api.call.Answer;
import io.egress.api.intake.QueryValues;
import io.egress.api.portal.access.Visit;
import io.egress.api.portal.view.AuditFilterForm;
import io.egress.api.portal.view.AuditRow;
import io.egress.api.portal.view.Choice;
import io.egress.platform.http.PathIds;
import io.vertx.core.MultiMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The audit log of a workspace. */
final class AuditPage {
  private static final int LISTED_MAX = 50;
  private static final List<String> TIMES = List.of("from", "to");
  private static final List<String> FILTERS = List.of("action", "actor", "thing_id", "from", "to");

  private final PageRenderer pages;
  private final AuditEntries audit;
  private final AuditExport export;

  AuditPage(PageRenderer pages, AuditEntries audit) {
    this.pages = pages;
    this.audit = audit;
    this.export = new AuditExport(audit);
  }

  Answer list(Visit visit) {
    MultiMap query = FilterQuery.of(visit.query(), FILTERS);
    Map<String, String> problems = problems(query);
    AuditEntries.Page page =
        problems.isEmpty()
            ? audit.page(filter(visit, query), LISTED_MAX)
            : new AuditEntries.Page(List.of(), null);
    return pages.page(
        problems.isEmpty() ? 200 : 400,
        "audit",
        Map.of(
            "frame", pages.frame(visit, "Audit log", "audit"),
            "filter", filter(query, problems),
            "rows", page.entries().stream().map(AuditPage::row).toList(),
            "older", requireNonNullElse(page.cursor(), "")));
  }

  /** All entries that match the filters, as a file. */
  Answer export(Visit visit) {
    AuditExport.Form form =
        requireNonNullElse(
            QueryValues.one(visit.query(), "form", AuditExport.Form::find, "must be csv or ndjson"),
            AuditExport.Form.CSV);
    AuditFilter filter = filter(visit, FilterQuery.of(visit.query(), FILTERS));
    return export
        .answer(filter, form)
        .with("content-disposition", "attachment; filename=\"audit." + form.word() + "\"");
  }

  private static AuditFilter filter(Visit visit, MultiMap query) {
    return AuditFilter.from(
        visit.workspaceId(), FilterQuery.instants(query), AuditExport.ENTRIES_MAX);
  }

  /** What is wrong with each filter, in words for people. */
  private static Map<String, String> problems(MultiMap query) {
    Map<String, String> problems = new LinkedHashMap<>();
    if (query.contains("thing_id") && PathIds.uuid(query.get("thing_id")).isEmpty()) {
      problems.put("thing_id", FilterQuery.NO_ID);
    }
    for (String time : TIMES) {
      if (query.contains(time) && !LocalTimes.isTime(query.get(time))) {
        problems.put(time, FilterQuery.NO_TIME);
      }
    }
    return problems;
  }

  private static AuditFilterForm filter(MultiMap query, Map<String, String> problems) {
    String asked = requireNonNullElse(query.get("action"), "");
    List<Choice> actions = new ArrayList<>();
    actions.add(new Choice("", "Everything", asked.isEmpty()));
    for (String action : AuditSentences.actions()) {
      actions.add(new Choice(action, AuditSentences.words(action), action.equals(asked)));
    }
    return new AuditFilterForm(
        actions,
        requireNonNullElse(query.get("actor"), ""),
        requireNonNullElse(query.get("thing_id"), ""),
        requireNonNullElse(query.get("from"), ""),
        requireNonNullElse(query.get("to"), ""),
        FilterQuery.encoded(query, FILTERS),
        problems);
  }

  private static AuditRow row(AuditEntry entry) {
    return new AuditRow(
        entry.at(),
        entry.actor() == null ? "–" : entry.actor(),
        entry.via(),
        entry.remoteAddress() == null ? "–" : entry.remoteAddress(),
        entry.action(),
        entry.thingId(),
        AuditSentences.of(entry));
  }
}
