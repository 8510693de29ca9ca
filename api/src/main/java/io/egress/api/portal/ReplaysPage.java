package io.egress.api.portal;

import static java.util.Objects.requireNonNullElse;

import io.egress.api.admin.Operations;
import io.egress.api.admin.deliveries.DeliveryReads;
import io.egress.api.admin.deliveries.UndeliveredTotals;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.admin.replays.Replay;
import io.egress.api.admin.replays.Replays;
import io.egress.api.call.Answer;
import io.egress.api.intake.GivenBody;
import io.egress.api.intake.ReplayBody;
import io.egress.api.portal.access.PortalForm;
import io.egress.api.portal.access.Visit;
import io.egress.api.portal.view.FormProblem;
import io.egress.api.portal.view.Frame;
import io.egress.api.portal.view.ReplayRow;
import io.egress.api.portal.view.ReplayStart;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.Refusal;
import io.egress.webhook.backfill.Backfills;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.core.MultiMap;
import io.vertx.core.json.JsonObject;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The list of replays and redeliveries. */
final class ReplaysPage {
  /** The filters of deliveries that a replay to all endpoints knows. */
  static final List<String> OF_ALL = List.of("state", "from", "to");

  private static final String PLACE = "replays";
  private static final String SINCE = "since";
  private static final int LISTED_MAX = 50;

  /** A page of deliveries has no more. */
  private static final int SELECTED_MAX = 100;

  private final PageRenderer pages;
  private final Replays replays;
  private final Endpoints endpoints;
  private final DeliveryReads deliveries;
  private final UndeliveredTotals undelivered;
  private final Clock clock;

  ReplaysPage(
      PageRenderer pages, Operations.OfDeliveries operations, Endpoints endpoints, Clock clock) {
    this.pages = pages;
    this.replays = operations.replays();
    this.endpoints = endpoints;
    this.deliveries = operations.reads();
    this.undelivered = operations.undelivered();
    this.clock = clock;
  }

  Answer list(Visit visit) {
    return pages.page(200, "replays", parameters(visit, rows(visit)));
  }

  Answer liveList(Visit visit) {
    List<ReplayRow> rows = rows(visit);
    return pages.part(visit, hashed(rows), "replays-live", () -> parameters(visit, rows));
  }

  private Map<String, Object> parameters(Visit visit, List<ReplayRow> rows) {
    Frame frame = pages.frame(visit, "Replays", PLACE);
    String live = LivePart.path(frame.base() + "/live/replays", "", hashed(rows));
    return Map.of("frame", frame, "rows", rows, "live", live);
  }

  private List<ReplayRow> rows(Visit visit) {
    Map<UUID, String> names =
        endpoints.list(visit.workspaceId()).stream()
            .collect(Collectors.toMap(Endpoint::id, EndpointNames::of));
    return replays.newest(visit.workspaceId(), LISTED_MAX).stream()
        .map(each ->
            ReplayRow.of(each, names.getOrDefault(each.replay().endpointId(), "deleted endpoint")))
        .toList();
  }

  Answer show(Visit visit) {
    return pages.page(200, "replay", parameters(visit, row(visit)));
  }

  Answer live(Visit visit) {
    ReplayRow row = row(visit);
    return pages.part(visit, hashed(List.of(row)), "replay-live", () -> parameters(visit, row));
  }

  private Map<String, Object> parameters(Visit visit, ReplayRow row) {
    Frame frame = pages.frame(visit, "Replay", PLACE);
    String live =
        row.isOpen()
            ? LivePart.path(
                frame.base() + "/live/replays/" + row.replay().id(), "", hashed(List.of(row)))
            : "";
    return Map.of("frame", frame, "row", row, "live", live);
  }

  private ReplayRow row(Visit visit) {
    Replays.Progress progress = replays.show(visit.workspaceId(), visit.id());
    Endpoint endpoint = endpoints.show(visit.workspaceId(), progress.replay().endpointId());
    return ReplayRow.of(progress, EndpointNames.of(endpoint));
  }

  /** Hashes the names, because hash codes of enum constants differ between processes. */
  private static List<String> hashed(List<ReplayRow> rows) {
    return rows.stream()
        .map(row -> row.replay().id() + row.state() + row.done() + row.outcomes())
        .toList();
  }

  Answer ask(Visit visit) {
    return form(visit, 200, null, name -> requireNonNullElse(visit.query().get(name), ""));
  }

  Answer start(Visit visit) {
    PortalForm form = visit.form();
    return Forms.orExplain(
        form,
        () -> {
          Backfills.Range range = Forms.accepted(ReplayBody.read(GivenBody.of(body(form))));
          Replay started = replays.start(visit.caller(), visit.workspaceId(), visit.id(), range);
          return Answer.seeOther(
              pages.base(visit) + "/replays/" + started.id() + "?done=replay-started");
        },
        (status, problem) -> form(visit, status, problem, form::text));
  }

  private JsonObject body(PortalForm form) {
    JsonObject body = new JsonObject();
    if (!form.text("what").equals("all")) {
      body.put("only", "undelivered");
    }
    String since = form.text(SINCE);
    if (since.isEmpty()) {
      putTime(body, "from", form.text("from"));
    } else {
      body.put("from", beginning(form, since).toString());
    }
    putTime(body, "to", form.text("to"));
    String position = form.text("from_position");
    if (position.matches("[0-9]{1,15}")) {
      body.put("from_position", Long.parseLong(position));
    } else if (!position.isEmpty()) {
      body.put("from_position", position);
    }
    return body;
  }

  private Instant beginning(PortalForm form, String since) {
    if (!form.text("from").isEmpty() || !form.text("from_position").isEmpty()) {
      throw new Refusal(400, "Choose Since, From or From position, not several of them.");
    }
    return ReplayStart.find(since)
        .orElseThrow(() -> new Refusal(400, "Since has no such choice."))
        .before(clock.instant());
  }

  private static void putTime(JsonObject body, String field, String text) {
    if (!text.isEmpty()) {
      body.put(field, LocalTimes.instant(text));
    }
  }

  private Answer form(
      Visit visit, int status, @Nullable FormProblem problem, UnaryOperator<String> typedIn) {
    Endpoint endpoint = endpoints.show(visit.workspaceId(), visit.id());
    return pages.page(
        status,
        "replay-start",
        Map.of(
            "frame",
            pages.frame(visit, "Start a replay", PLACE).withProblem(problem),
            "endpoint",
            endpoint,
            "name",
            EndpointNames.of(endpoint),
            "typed",
            Stream.of("what", SINCE, "from", "from_position", "to")
                .collect(Collectors.toMap(name -> name, typedIn))));
  }

  Answer cancel(Visit visit) {
    replays.cancel(visit.caller(), visit.workspaceId(), visit.id());
    return Answer.seeOther(pages.base(visit) + "/replays/" + visit.id() + "?done=replay-canceled");
  }

  /** Sends the captures of the selected deliveries again, each to its endpoint: all or none. */
  Answer redeliverSelected(Visit visit) {
    List<UUID> ids =
        visit.form().texts("id").stream()
            .limit(SELECTED_MAX)
            .map(text ->
                PathIds.uuid(text)
                    .orElseThrow(() -> new Refusal(400, "a selected delivery has no id")))
            .toList();
    if (ids.isEmpty()) {
      throw new Refusal(400, "No delivery is selected. Go back and select those to send again.");
    }
    replays.redeliver(
        visit.caller(),
        visit.workspaceId(),
        ids.stream().map(id -> deliveries.find(visit.workspaceId(), id)).toList());
    return Answer.seeOther(
        pages.base(visit)
            + "/deliveries?"
            + DeliveriesPage.filters(visit.query())
            + "done=selected-redelivered");
  }

  /** Says what {@link #startForAll} sends. */
  Answer confirmForAll(Visit visit) {
    MultiMap query = FilterQuery.of(visit.query(), OF_ALL);
    Backfills.Range during = during(name -> requireNonNullElse(query.get(name), ""));
    UndeliveredTotals.Total total = undelivered.of(visit.workspaceId(), during.from(), during.to());
    Frame frame = pages.frame(visit, "Send again to all endpoints", PLACE);
    String back =
        query.contains("state")
            ? frame.base() + "/deliveries?" + FilterQuery.encoded(query, OF_ALL)
            : frame.base() + "/";
    return pages.confirm(frame, ReplayText.confirmation(total, during, frame.base(), back));
  }

  /** Everything that was given up or skipped, or was owed during a time, to all endpoints. */
  Answer startForAll(Visit visit) {
    Backfills.Range during = during(visit.form()::text);
    List<Replay> started = replays.startForAll(visit.caller(), visit.workspaceId(), during);
    return Answer.seeOther(
        pages.base(visit)
            + "/replays?done="
            + (started.isEmpty() ? "nothing-undelivered" : "replays-started"));
  }

  private static Backfills.Range during(UnaryOperator<String> given) {
    JsonObject body = new JsonObject().put("only", "undelivered");
    List.of("from", "to").forEach(time -> putTime(body, time, given.apply(time)));
    return ReplayBody.onlyUndelivered(GivenBody.of(body)).orRefuse();
  }

  Answer redeliver(Visit visit) {
    UUID workspaceId = visit.workspaceId();
    LoggedDelivery before = deliveries.find(workspaceId, visit.id());
    Replay started = replays.redeliver(visit.caller(), workspaceId, before);
    UUID delivery = DeliveryId.inReplay(started.id(), before.captureId());
    return Answer.seeOther(pages.base(visit) + "/deliveries/" + delivery + "?done=redelivered");
  }
}
