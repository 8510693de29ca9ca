package io.egress.api.portal;

import static java.util.Objects.requireNonNull;

import io.egress.api.endpoints.Endpoints;
import io.egress.api.endpoints.TestSend;
import io.egress.api.intake.EndpointBody;
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
import io.egress.api.replays.Replays;
import io.egress.audit.Caller;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
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
  private static final Buffer UNDELIVERED = new JsonObject().put("only", "undelivered").toBuffer();

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
    this.pages = requireNonNull(pages, "pages is null");
    this.endpoints = requireNonNull(endpoints, "endpoints is null");
    this.bodies = requireNonNull(bodies, "bodies is null");
    this.testSend = requireNonNull(testSend, "testSend is null");
    this.replays = requireNonNull(replays, "replays is null");
    this.cards = requireNonNull(cards, "cards is null");
    this.clock = requireNonNull(clock, "clock is null");
  }

  Future<Void> show(RoutingContext exchange, PortalSession session) {
    return send(exchange, session, 200, null, null);
  }

  Future<Void> change(RoutingContext exchange, PortalSession session, PortalForm form) {
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
        () -> change(exchange, session, body, "endpoint-changed"),
        (status, problem) -> send(exchange, session, status, problem, null));
  }

  /** Values that are not numbers are passed on, and rejected by the body's parser. */
  static @Nullable Object number(String text) {
    if (text.isEmpty()) {
      return null;
    }
    return text.matches("[0-9]{1,9}") ? (Object) Integer.valueOf(text) : text;
  }

  /** Sets a header, or removes it if the value is empty. */
  Future<Void> changeHeader(RoutingContext exchange, PortalSession session, PortalForm form) {
    String value = form.isChecked("remove") ? null : form.text("header_value");
    JsonObject body =
        new JsonObject().put("headers", new JsonObject().put(form.text("header_name"), value));
    return Forms.orExplain(
        form,
        () -> change(exchange, session, body, "endpoint-changed"),
        (status, problem) -> send(exchange, session, status, problem, null));
  }

  Future<Void> changeCertificate(RoutingContext exchange, PortalSession session, PortalForm form) {
    JsonObject certificate =
        form.isChecked("remove")
            ? null
            : new JsonObject()
                .put("certificate", form.text("certificate"))
                .put("key", form.text("key"));
    JsonObject body = new JsonObject().put("client_certificate", certificate);
    return Forms.orExplain(
        form,
        () -> change(exchange, session, body, "endpoint-changed"),
        (status, problem) -> send(exchange, session, status, problem, null));
  }

  Future<Void> pause(RoutingContext exchange, PortalSession session, PortalForm form) {
    return change(exchange, session, new JsonObject().put("paused", true), "endpoint-paused");
  }

  Future<Void> resume(RoutingContext exchange, PortalSession session, PortalForm form) {
    UUID id = PathId.of(exchange);
    Caller caller = Caller.ofPage(exchange, session.actor());
    JsonObject resumed = new JsonObject().put("paused", false);
    if (!form.isChecked("catch_up")) {
      return change(exchange, session, resumed, "endpoint-resumed");
    }
    return endpoints
        .change(caller, session.workspaceId(), id, bodies.change(resumed.toBuffer()).orRefuse())
        .compose(
            changed ->
                replays.start(
                    caller, session.workspaceId(), id, ReplayBody.read(UNDELIVERED).orRefuse()))
        .compose(
            started ->
                PortalAccess.seeOther(
                    exchange,
                    pages.base(session) + "/replays/" + started.id() + "?done=endpoint-resumed"));
  }

  private Future<Void> change(
      RoutingContext exchange, PortalSession session, JsonObject body, String done) {
    return endpoints
        .change(
            Caller.ofPage(exchange, session.actor()),
            session.workspaceId(),
            PathId.of(exchange),
            Forms.accepted(bodies.change(body.toBuffer())))
        .compose(changed -> backToPage(exchange, session, done));
  }

  /** Sends a test and shows its outcome. */
  Future<Void> test(RoutingContext exchange, PortalSession session, PortalForm form) {
    return testSend
        .run(
            exchange,
            Caller.ofPage(exchange, session.actor()),
            session.workspaceId(),
            PathId.of(exchange))
        .compose(
            result ->
                send(
                    exchange,
                    session,
                    200,
                    null,
                    AttemptRow.of(1, result.attempt(), result.deliveryId(), "", false)));
  }

  /** Shows the form for rotating the secret. */
  Future<Void> askRotation(RoutingContext exchange, PortalSession session) {
    return sendRotation(exchange, session, 200, null, null);
  }

  Future<Void> rotate(RoutingContext exchange, PortalSession session, PortalForm form) {
    UUID id = PathId.of(exchange);
    JsonObject body = new JsonObject().put("overlap", form.text("overlap"));
    return Forms.orExplain(
        form,
        () ->
            endpoints
                .rotateSecret(
                    Caller.ofPage(exchange, session.actor()),
                    session.workspaceId(),
                    id,
                    Forms.accepted(EndpointBody.rotation(body.toBuffer())))
                .compose(
                    issued ->
                        sendRotation(exchange, session, 201, EndpointsPage.secret(issued), null)),
        (status, problem) -> sendRotation(exchange, session, status, null, problem));
  }

  Future<Void> endOverlap(RoutingContext exchange, PortalSession session, PortalForm form) {
    return endpoints
        .endOverlap(
            Caller.ofPage(exchange, session.actor()), session.workspaceId(), PathId.of(exchange))
        .compose(ended -> backToPage(exchange, session, "overlap-ended"));
  }

  Future<Void> confirmDeletion(RoutingContext exchange, PortalSession session) {
    return endpoints
        .show(session.workspaceId(), PathId.of(exchange))
        .map(
            endpoint -> {
              Frame frame =
                  pages.frame(exchange, session, "Delete an endpoint", EndpointsPage.PLACE);
              String path = frame.base() + "/endpoints/" + endpoint.id();
              return pages.confirm(
                  exchange,
                  frame,
                  new Confirmation(
                      "Delete the endpoint “%s”? Nothing more is sent to it, including deliveries that are already queued. This cannot be undone."
                          .formatted(EndpointNames.of(endpoint)),
                      path + "/delete",
                      "Delete endpoint",
                      path));
            });
  }

  Future<Void> delete(RoutingContext exchange, PortalSession session, PortalForm form) {
    return endpoints
        .delete(
            Caller.ofPage(exchange, session.actor()), session.workspaceId(), PathId.of(exchange))
        .compose(
            deleted ->
                PortalAccess.seeOther(
                    exchange, pages.base(session) + "/endpoints?done=endpoint-deleted"));
  }

  private Future<Void> backToPage(RoutingContext exchange, PortalSession session, String done) {
    return PortalAccess.seeOther(
        exchange, pages.base(session) + "/endpoints/" + PathId.of(exchange) + "?done=" + done);
  }

  private Future<Void> send(
      RoutingContext exchange,
      PortalSession session,
      int status,
      @Nullable FormProblem problem,
      @Nullable AttemptRow tested) {
    Instant now = clock.instant();
    return endpoints
        .show(session.workspaceId(), PathId.of(exchange))
        .compose(
            endpoint ->
                cards
                    .one(session.workspaceId(), endpoint, now)
                    .map(
                        card -> {
                          Frame frame =
                              pages
                                  .frame(
                                      exchange,
                                      session,
                                      EndpointNames.of(endpoint),
                                      EndpointsPage.PLACE)
                                  .withProblem(problem);
                          return pages.send(
                              exchange,
                              status,
                              "endpoint",
                              Map.of(
                                  "frame",
                                  frame,
                                  "detail",
                                  new EndpointDetail(endpoint, card, tested)));
                        }));
  }

  private Future<Void> sendRotation(
      RoutingContext exchange,
      PortalSession session,
      int status,
      @Nullable ShownSecret secret,
      @Nullable FormProblem problem) {
    return endpoints
        .show(session.workspaceId(), PathId.of(exchange))
        .map(
            endpoint -> {
              Map<String, Object> parameters = new HashMap<>();
              parameters.put(
                  "frame",
                  pages
                      .frame(exchange, session, "Rotate a signing secret", EndpointsPage.PLACE)
                      .withProblem(problem));
              parameters.put("endpoint", endpoint);
              parameters.put("name", EndpointNames.of(endpoint));
              parameters.put("secret", secret);
              return pages.send(exchange, status, "rotate", parameters);
            });
  }
}
