package io.egress.api.portal;

import static java.util.Objects.requireNonNullElse;

import io.egress.api.admin.deliveries.DeliveryReads;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.admin.replays.Replays;
import io.egress.api.intake.GivenBody;
import io.egress.api.intake.ReplayBody;
import io.egress.api.portal.access.PortalAccess;
import io.egress.api.portal.access.PortalForm;
import io.egress.api.portal.access.PortalSession;
import io.egress.api.portal.view.FormProblem;
import io.egress.api.portal.view.Frame;
import io.egress.api.portal.view.ReplayRow;
import io.egress.platform.audit.Caller;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.Refusal;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The list of replays and redeliveries. */
final class ReplaysPage {
  private static final String PLACE = "replays";
  private static final int LISTED_MAX = 50;

  /** A page of deliveries has no more. */
  private static final int SELECTED_MAX = 100;

  private final PageRenderer pages;
  private final Replays replays;
  private final Endpoints endpoints;
  private final DeliveryReads deliveries;

  ReplaysPage(PageRenderer pages, Replays replays, Endpoints endpoints, DeliveryReads deliveries) {
    this.pages = pages;
    this.replays = replays;
    this.endpoints = endpoints;
    this.deliveries = deliveries;
  }

  Future<Void> list(RoutingContext ctx, PortalSession session) {
    return rows(session)
        .map(rows -> {
          Frame frame = pages.frame(ctx, session, "Replays", PLACE);
          return pages.send(
              ctx,
              200,
              "replays",
              Map.of("frame", frame, "rows", rows, "live", listPath(frame, rows)));
        });
  }

  Future<Void> liveList(RoutingContext ctx, PortalSession session) {
    return rows(session)
        .compose(rows -> {
          if (LivePart.isSeen(ctx, hashed(rows))) {
            return HttpExchange.endEmpty(ctx, 204);
          }
          Frame frame = pages.frame(ctx, session, "Replays", PLACE);
          return Future.succeededFuture(
              pages.send(
                  ctx,
                  200,
                  "replays-live",
                  Map.of("frame", frame, "rows", rows, "live", listPath(frame, rows))));
        });
  }

  private static String listPath(Frame frame, List<ReplayRow> rows) {
    return LivePart.path(frame.base() + "/live/replays", "", hashed(rows));
  }

  private Future<List<ReplayRow>> rows(PortalSession session) {
    return endpoints
        .list(session.workspaceId())
        .compose(all -> {
          Map<UUID, String> names =
              all.stream().collect(Collectors.toMap(Endpoint::id, EndpointNames::of));
          return replays
              .newest(session.workspaceId(), LISTED_MAX)
              .map(found ->
                  found.stream()
                      .map(each ->
                          ReplayRow.of(
                              each,
                              names.getOrDefault(each.replay().endpointId(), "deleted endpoint")))
                      .toList());
        });
  }

  Future<Void> show(RoutingContext ctx, PortalSession session) {
    return row(ctx, session).map(row -> send(ctx, session, "replay", row));
  }

  Future<Void> live(RoutingContext ctx, PortalSession session) {
    return row(ctx, session)
        .compose(row ->
            LivePart.isSeen(ctx, hashed(List.of(row)))
                ? HttpExchange.endEmpty(ctx, 204)
                : Future.succeededFuture(send(ctx, session, "replay-live", row)));
  }

  private @Nullable Void send(
      RoutingContext ctx, PortalSession session, String template, ReplayRow row) {
    Frame frame = pages.frame(ctx, session, "Replay", PLACE);
    String live =
        row.isOpen()
            ? LivePart.path(
                frame.base() + "/live/replays/" + row.replay().id(), "", hashed(List.of(row)))
            : "";
    return pages.send(ctx, 200, template, Map.of("frame", frame, "row", row, "live", live));
  }

  private Future<ReplayRow> row(RoutingContext ctx, PortalSession session) {
    return replays
        .show(session.workspaceId(), PathId.of(ctx))
        .compose(progress ->
            endpoints
                .show(session.workspaceId(), progress.replay().endpointId())
                .map(endpoint -> ReplayRow.of(progress, EndpointNames.of(endpoint))));
  }

  /** Hashes the names, because hash codes of enum constants differ between processes. */
  private static List<String> hashed(List<ReplayRow> rows) {
    return rows.stream()
        .map(row -> row.replay().id() + row.state() + row.done() + row.outcomes())
        .toList();
  }

  Future<Void> ask(RoutingContext ctx, PortalSession session) {
    return sendForm(
        ctx, session, 200, null, name -> requireNonNullElse(ctx.queryParams().get(name), ""));
  }

  Future<Void> start(RoutingContext ctx, PortalSession session, PortalForm form) {
    return Forms.orExplain(
        form,
        () ->
            replays
                .start(
                    Caller.ofPage(ctx, session.actor()),
                    session.workspaceId(),
                    PathId.of(ctx),
                    Forms.accepted(ReplayBody.read(GivenBody.of(body(form)))))
                .compose(started ->
                    PortalAccess.seeOther(
                        ctx,
                        pages.base(session) + "/replays/" + started.id() + "?done=replay-started")),
        (status, problem) -> sendForm(ctx, session, status, problem, form::text));
  }

  private static JsonObject body(PortalForm form) {
    JsonObject body = new JsonObject();
    if (!form.text("what").equals("all")) {
      body.put("only", "undelivered");
    }
    putTime(body, "from", form.text("from"));
    putTime(body, "to", form.text("to"));
    String position = form.text("from_position");
    if (position.matches("[0-9]{1,15}")) {
      body.put("from_position", Long.parseLong(position));
    } else if (!position.isEmpty()) {
      body.put("from_position", position);
    }
    return body;
  }

  private static void putTime(JsonObject body, String field, String text) {
    if (!text.isEmpty()) {
      body.put(field, LocalTimes.instant(text));
    }
  }

  private Future<Void> sendForm(
      RoutingContext ctx,
      PortalSession session,
      int status,
      @Nullable FormProblem problem,
      UnaryOperator<String> typedIn) {
    Map<String, String> typed =
        Stream.of("what", "from", "from_position", "to")
            .collect(Collectors.toMap(name -> name, typedIn));
    return endpoints
        .show(session.workspaceId(), PathId.of(ctx))
        .map(endpoint -> {
          Map<String, Object> parameters = new HashMap<>();
          parameters.put(
              "frame", pages.frame(ctx, session, "Start a replay", PLACE).withProblem(problem));
          parameters.put("endpoint", endpoint);
          parameters.put("name", EndpointNames.of(endpoint));
          parameters.put("typed", typed);
          return pages.send(ctx, status, "replay-start", parameters);
        });
  }

  Future<Void> cancel(RoutingContext ctx, PortalSession session, PortalForm form) {
    UUID id = PathId.of(ctx);
    return replays
        .cancel(Caller.ofPage(ctx, session.actor()), session.workspaceId(), id)
        .compose(_ ->
            PortalAccess.seeOther(
                ctx, pages.base(session) + "/replays/" + id + "?done=replay-canceled"));
  }

  /** Sends the captures of the selected deliveries again, each to its endpoint. */
  Future<Void> redeliverSelected(RoutingContext ctx, PortalSession session, PortalForm form) {
    List<UUID> ids =
        form.texts("id").stream()
            .limit(SELECTED_MAX)
            .map(text ->
                PathIds.uuid(text)
                    .orElseThrow(() -> new Refusal(400, "a selected delivery has no id")))
            .toList();
    if (ids.isEmpty()) {
      throw new Refusal(400, "No delivery is selected. Go back and select those to send again.");
    }
    Caller caller = Caller.ofPage(ctx, session.actor());
    Future<Void> sent = Future.succeededFuture();
    for (UUID id : ids) {
      sent =
          sent.compose(_ -> deliveries.find(session.workspaceId(), id))
              .compose(delivery -> replays.redeliver(caller, session.workspaceId(), delivery))
              .mapEmpty();
    }
    return sent.compose(_ ->
        PortalAccess.seeOther(ctx, pages.base(session) + "/deliveries?done=selected-redelivered"));
  }

  Future<Void> redeliver(RoutingContext ctx, PortalSession session, PortalForm form) {
    UUID id = PathId.of(ctx);
    return deliveries
        .find(session.workspaceId(), id)
        .compose(delivery ->
            replays.redeliver(Caller.ofPage(ctx, session.actor()), session.workspaceId(), delivery))
        .compose(_ ->
            PortalAccess.seeOther(
                ctx, pages.base(session) + "/deliveries/" + id + "?done=redelivered"));
  }
}
