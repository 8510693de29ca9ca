package io.egress.api.portal;

import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.admin.endpoints.TestSend;
import io.egress.api.admin.replays.Replays;
import io.egress.api.intake.EndpointBody;
import io.egress.api.intake.GivenBody;
import io.egress.api.intake.ReplayBody;
import io.egress.api.portal.access.PortalAccess;
import io.egress.api.portal.access.PortalForm;
import io.egress.api.portal.access.PortalSession;
import io.egress.api.portal.view.AttemptRow;
import io.egress.api.portal.view.Confirmation;
import io.egress.api.portal.view.EndpointDetail;
import io.egress.api.portal.view.FormProblem;
import io.egress.api.portal.view.Frame;
import io.egress.api.portal.view.ShownSecret;
import io.egress.platform.audit.Caller;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One endpoint: its state, and forms to change it. */
final class EndpointPage {
  private static final GivenBody UNDELIVERED =
      GivenBody.of(new JsonObject().put("only", "undelivered"));

  private final PageRenderer pages;
  private final Endpoints endpoints;
  private final EndpointBody bodies;
  private final TestSend testSend;
  private final Replays replays;
  private final EndpointCards cards;
  private final Clock clock;

  EndpointPage(
      PageRenderer pages,
      Endpoints endpoints,
      EndpointBody bodies,
      TestSend testSend,
      Replays replays,
      EndpointCards cards,
      Clock clock) {
    this.pages = pages;
    this.endpoints = endpoints;
    this.bodies = bodies;
    this.testSend = testSend;
    this.replays = replays;
    this.cards = cards;
    this.clock = clock;
  }

  Future<Void> show(RoutingContext ctx, PortalSession session) {
    return send(ctx, session, 200, null, null);
  }

  Future<Void> change(RoutingContext ctx, PortalSession session, PortalForm form) {
    String description = form.text("description");
    JsonObject body =
        new JsonObject()
            .put("url", form.text("url"))
            .put("description", description.isEmpty() ? null : description)
            .put("max_per_second", number(form.text("max_per_second")))
            .put("max_in_flight", number(form.text("max_in_flight")))
            .put("standard_webhooks", form.isChecked("standard_webhooks"))
            .put("events", EndpointsPage.events(form));
    return Forms.orExplain(
        form,
        () -> change(ctx, session, body, "endpoint-changed"),
        (status, problem) -> send(ctx, session, status, problem, null));
  }

  /** Values that are not numbers are passed on, and rejected by the body's parser. */
  static @Nullable Object number(String text) {
    if (text.isEmpty()) {
      return null;
    }
    return text.matches("[0-9]{1,9}") ? (Object) Integer.valueOf(text) : text;
  }

  /** Sets a header, or removes it if the value is empty. */
  Future<Void> changeHeader(RoutingContext ctx, PortalSession session, PortalForm form) {
    String value = form.isChecked("remove") ? null : form.text("header_value");
    JsonObject body =
        new JsonObject().put("headers", new JsonObject().put(form.text("header_name"), value));
    return Forms.orExplain(
        form,
        () -> change(ctx, session, body, "endpoint-changed"),
        (status, problem) -> send(ctx, session, status, problem, null));
  }

  Future<Void> changeCertificate(RoutingContext ctx, PortalSession session, PortalForm form) {
    JsonObject certificate =
        form.isChecked("remove")
            ? null
            : new JsonObject()
                .put("certificate", form.text("certificate"))
                .put("key", form.text("key"));
    JsonObject body = new JsonObject().put("client_certificate", certificate);
    return Forms.orExplain(
        form,
        () -> change(ctx, session, body, "endpoint-changed"),
        (status, problem) -> send(ctx, session, status, problem, null));
  }

  Future<Void> pause(RoutingContext ctx, PortalSession session, PortalForm form) {
    return change(ctx, session, new JsonObject().put("paused", true), "endpoint-paused");
  }

  Future<Void> resume(RoutingContext ctx, PortalSession session, PortalForm form) {
    UUID id = PathId.of(ctx);
    Caller caller = Caller.ofPage(ctx, session.actor());
    JsonObject resumed = new JsonObject().put("paused", false);
    if (!form.isChecked("catch_up")) {
      return change(ctx, session, resumed, "endpoint-resumed");
    }
    return endpoints
        .change(caller, session.workspaceId(), id, bodies.change(GivenBody.of(resumed)).orRefuse())
        .compose(_ ->
            replays.start(
                caller, session.workspaceId(), id, ReplayBody.read(UNDELIVERED).orRefuse()))
        .compose(started ->
            PortalAccess.seeOther(
                ctx, pages.base(session) + "/replays/" + started.id() + "?done=endpoint-resumed"));
  }

  private Future<Void> change(
      RoutingContext ctx, PortalSession session, JsonObject body, String done) {
    return endpoints
        .change(
            Caller.ofPage(ctx, session.actor()),
            session.workspaceId(),
            PathId.of(ctx),
            Forms.accepted(bodies.change(GivenBody.of(body))))
        .compose(_ -> backToPage(ctx, session, done));
  }

  /** Sends a test and shows its outcome. */
  Future<Void> test(RoutingContext ctx, PortalSession session, PortalForm form) {
    return testSend
        .run(ctx, Caller.ofPage(ctx, session.actor()), session.workspaceId(), PathId.of(ctx))
        .compose(result ->
            send(
                ctx,
                session,
                200,
                null,
                AttemptRow.of(1, result.attempt(), result.deliveryId(), "", false)));
  }

  /** Shows the form for rotating the secret. */
  Future<Void> askRotation(RoutingContext ctx, PortalSession session) {
    return sendRotation(ctx, session, 200, null, null);
  }

  Future<Void> rotate(RoutingContext ctx, PortalSession session, PortalForm form) {
    UUID id = PathId.of(ctx);
    JsonObject body = new JsonObject().put("overlap", form.text("overlap"));
    return Forms.orExplain(
        form,
        () ->
            endpoints
                .rotateSecret(
                    Caller.ofPage(ctx, session.actor()),
                    session.workspaceId(),
                    id,
                    Forms.accepted(EndpointBody.rotation(GivenBody.of(body))))
                .compose(
                    issued -> sendRotation(ctx, session, 201, EndpointsPage.secret(issued), null)),
        (status, problem) -> sendRotation(ctx, session, status, null, problem));
  }

  Future<Void> endOverlap(RoutingContext ctx, PortalSession session, PortalForm form) {
    return endpoints
        .endOverlap(Caller.ofPage(ctx, session.actor()), session.workspaceId(), PathId.of(ctx))
        .compose(_ -> backToPage(ctx, session, "overlap-ended"));
  }

  Future<Void> confirmDeletion(RoutingContext ctx, PortalSession session) {
    return endpoints
        .show(session.workspaceId(), PathId.of(ctx))
        .map(endpoint -> {
          Frame frame = pages.frame(ctx, session, "Delete an endpoint", EndpointsPage.PLACE);
          String path = frame.base() + "/endpoints/" + endpoint.id();
          return pages.confirm(
              ctx,
              frame,
              new Confirmation(
                  "Delete the endpoint “%s”? Nothing more is sent to it, including deliveries that are already queued. This cannot be undone."
                      .formatted(EndpointNames.of(endpoint)),
                  path + "/delete",
                  "Delete endpoint",
                  path));
        });
  }

  Future<Void> delete(RoutingContext ctx, PortalSession session, PortalForm form) {
    return endpoints
        .delete(Caller.ofPage(ctx, session.actor()), session.workspaceId(), PathId.of(ctx))
        .compose(_ ->
            PortalAccess.seeOther(ctx, pages.base(session) + "/endpoints?done=endpoint-deleted"));
  }

  private Future<Void> backToPage(RoutingContext ctx, PortalSession session, String done) {
    return PortalAccess.seeOther(
        ctx, pages.base(session) + "/endpoints/" + PathId.of(ctx) + "?done=" + done);
  }

  private Future<Void> send(
      RoutingContext ctx,
      PortalSession session,
      int status,
      @Nullable FormProblem problem,
      @Nullable AttemptRow tested) {
    Instant now = clock.instant();
    return endpoints
        .show(session.workspaceId(), PathId.of(ctx))
        .compose(endpoint ->
            cards
                .one(session.workspaceId(), endpoint, now)
                .map(card -> {
                  Frame frame =
                      pages
                          .frame(ctx, session, EndpointNames.of(endpoint), EndpointsPage.PLACE)
                          .withProblem(problem);
                  return pages.send(
                      ctx,
                      status,
                      "endpoint",
                      Map.of("frame", frame, "detail", new EndpointDetail(endpoint, card, tested)));
                }));
  }

  private Future<Void> sendRotation(
      RoutingContext ctx,
      PortalSession session,
      int status,
      @Nullable ShownSecret secret,
      @Nullable FormProblem problem) {
    return endpoints
        .show(session.workspaceId(), PathId.of(ctx))
        .map(endpoint -> {
          Map<String, Object> parameters = new HashMap<>();
          parameters.put(
              "frame",
              pages
                  .frame(ctx, session, "Rotate a signing secret", EndpointsPage.PLACE)
                  .withProblem(problem));
          parameters.put("endpoint", endpoint);
          parameters.put("name", EndpointNames.of(endpoint));
          parameters.put("secret", secret);
          return pages.send(ctx, status, "rotate", parameters);
        });
  }
}
