package io.egress.api.portal;

import static java.util.Objects.requireNonNullElse;

import io.egress.api.admin.audit.AuditEntries;
import io.egress.api.admin.audit.AuditEntry;
import io.egress.api.admin.audit.AuditExport;
import io.egress.api.admin.audit.AuditFilter;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.admin.keys.ApiKeys;
import io.egress.api.call.Answer;
import io.egress.api.intake.QueryValues;
import io.egress.api.portal.access.Visit;
import io.egress.api.portal.view.AuditFilterForm;
import io.egress.api.portal.view.AuditRow;
import io.egress.api.portal.view.Choice;
import io.egress.platform.http.PathIds;
import io.vertx.core.MultiMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** The audit log of a workspace. */
final class AuditPage {
  private static final int LISTED_MAX = 50;
  private static final List<String> FILTERS = List.of("action", "actor", "thing_id", "from", "to");

  private final PageRenderer pages;
  private final Endpoints endpoints;
  private final ApiKeys keys;
  private final AuditEntries audit;
  private final AuditExport export;

  AuditPage(
      PageRenderer pages,
      AuditEntries audit,
      AuditExport export,
      Endpoints endpoints,
      ApiKeys keys) {
    this.pages = pages;
    this.endpoints = endpoints;
    this.keys = keys;
    this.audit = audit;
    this.export = export;
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
            "rows", rows(visit, page.entries()),
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
    problems.putAll(FilterQuery.timeProblems(query));
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

  private List<AuditRow> rows(Visit visit, List<AuditEntry> entries) {
    Map<UUID, String> names = names(visit.workspaceId(), entries);
    return entries.stream().map(each -> row(each, names)).toList();
  }

  /** Of endpoints and API keys that still exist, if an entry is about one. */
  private Map<UUID, String> names(UUID workspaceId, List<AuditEntry> entries) {
    Set<String> kinds = entries.stream().map(AuditEntry::kind).collect(Collectors.toSet());
    Map<UUID, String> names = new HashMap<>();
    if (kinds.contains("endpoint")) {
      endpoints.list(workspaceId).forEach(each -> names.put(each.id(), EndpointNames.of(each)));
    }
    if (kinds.contains("api_key")) {
      keys.list(workspaceId).forEach(each -> names.put(each.id(), each.name()));
    }
    return names;
  }

  /** Empty for what has no page, or may not exist anymore. */
  private static String path(AuditEntry entry, boolean isNamed) {
    return switch (entry.kind()) {
      case "endpoint" -> isNamed ? "/endpoints/" + entry.thingId() : "";
      case "api_key" -> isNamed ? "/keys" : "";
      case "replay", "redelivery" -> "/replays/" + entry.thingId();
      case "capture" -> "/captures/" + entry.thingId();
      default -> "";
    };
  }

  private static AuditRow row(AuditEntry entry, Map<UUID, String> names) {
    UUID id = entry.thingId();
    String name = id == null ? null : names.get(id);
    return new AuditRow(
        entry.at(),
        entry.actor() == null ? "–" : entry.actor(),
        entry.via(),
        entry.remoteAddress() == null ? "–" : entry.remoteAddress(),
        entry.action(),
        name != null ? name : id == null ? "" : id.toString(),
        id == null ? "" : path(entry, name != null),
        AuditSentences.of(entry));
  }
}
