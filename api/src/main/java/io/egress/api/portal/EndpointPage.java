package io.egress.api.portal;

import io.egress.api.admin.Operations.OfDeliveries;
import io.egress.api.admin.Operations.OfEndpoints;
import io.egress.api.admin.deliveries.DeliveryReads;
import io.egress.api.admin.deliveries.EndpointLatencies;
import io.egress.api.admin.deliveries.SentPages;
import io.egress.api.admin.endpoints.Cursors;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.admin.endpoints.TestSend;
import io.egress.api.admin.replays.Replay;
import io.egress.api.admin.replays.Replays;
import io.egress.api.call.Answer;
import io.egress.api.intake.EndpointBody;
import io.egress.api.intake.GivenBody;
import io.egress.api.intake.ReplayBody;
import io.egress.api.intake.SeekBody;
import io.egress.api.portal.access.PortalForm;
import io.egress.api.portal.access.Visit;
import io.egress.api.portal.view.AttemptRow;
import io.egress.api.portal.view.Confirmation;
import io.egress.api.portal.view.EndpointDetail;
import io.egress.api.portal.view.EndpointLine;
import io.egress.api.portal.view.FormProblem;
import io.egress.api.portal.view.Frame;
import io.egress.api.portal.view.LatencyChart;
import io.egress.api.portal.view.RecentAttempt;
import io.egress.api.portal.view.ShownSecret;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.send.CaptureState;
import io.vertx.core.json.JsonObject;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One endpoint: its state, and forms to change it. */
final class EndpointPage {
  private static final int ATTEMPTS_MAX = 10;

  private static final GivenBody UNDELIVERED =
      GivenBody.of(new JsonObject().put("only", "undelivered"));

  private final PageRenderer pages;
  private final Endpoints endpoints;
  private final Cursors cursors;
  private final SentPages sentPages;
  private final EndpointBody bodies;
  private final TestSend testSend;
  private final Replays replays;
  private final DeliveryReads deliveries;
  private final EndpointLines lines;
  private final EndpointLatencies latencies;
  private final Clock clock;

  EndpointPage(
      PageRenderer pages,
      OfEndpoints ofEndpoints,
      OfDeliveries ofDeliveries,
      EndpointLines lines,
      Clock clock) {
    this.pages = pages;
    this.endpoints = ofEndpoints.endpoints();
    this.cursors = ofEndpoints.cursors();
    this.sentPages = ofDeliveries.pages();
    this.bodies = ofEndpoints.bodies();
    this.testSend = ofEndpoints.test();
    this.replays = ofDeliveries.replays();
    this.deliveries = ofDeliveries.reads();
    this.lines = lines;
    this.latencies = ofEndpoints.latencies();
    this.clock = clock;
  }

  Answer show(Visit visit) {
    return page(visit, 200, null, null);
  }

  Answer change(Visit visit) {
    return changeOrExplain(visit, EndpointForm.body(visit.form()));
  }

  /** Sets a header, or removes it if the value is empty. */
  Answer changeHeader(Visit visit) {
    PortalForm form = visit.form();
    String value = form.isChecked("remove") ? null : form.text("header_value");
    JsonObject header = new JsonObject().put(form.text("header_name"), value);
    return changeOrExplain(visit, new JsonObject().put("headers", header));
  }

  Answer changeCertificate(Visit visit) {
    PortalForm form = visit.form();
    JsonObject certificate = form.isChecked("remove") ? null : EndpointForm.certificate(form);
    return changeOrExplain(visit, new JsonObject().put("client_certificate", certificate));
  }

  Answer changeOAuth2(Visit visit) {
    PortalForm form = visit.form();
    JsonObject client = form.isChecked("remove") ? null : EndpointForm.oauth2(form);
    return changeOrExplain(visit, new JsonObject().put("oauth2", client));
  }

  Answer pause(Visit visit) {
    Endpoint endpoint = endpoints.show(visit.workspaceId(), visit.id());
    return change(
        visit,
        new JsonObject().put("paused", true),
        endpoint.paging().isStream() ? "stream-paused" : "endpoint-paused");
  }

  Answer resume(Visit visit) {
    Answer resumed = change(visit, new JsonObject().put("paused", false), "endpoint-resumed");
    if (!visit.form().isChecked("catch_up")) {
      return resumed;
    }
    Replay started =
        replays.start(
            visit.caller(),
            visit.workspaceId(),
            visit.id(),
            ReplayBody.read(UNDELIVERED).orRefuse());
    return Answer.seeOther(
        pages.base(visit) + "/replays/" + started.id() + "?done=endpoint-resumed");
  }

  /** Passes the capture that holds the endpoint. */
  Answer skip(Visit visit) {
    PortalForm form = visit.form();
    JsonObject body = new JsonObject().put("capture_id", form.text("capture_id"));
    if (!form.text("reason").isEmpty()) {
      body.put("reason", form.text("reason"));
    }
    return Forms.orExplain(
        form,
        () -> {
          SeekBody.Skip skip = Forms.accepted(SeekBody.skip(GivenBody.of(body)));
          cursors.skip(
              visit.caller(), visit.workspaceId(), visit.id(), skip.captureId(), skip.reason());
          return backToPage(visit, "capture-skipped");
        },
        (status, problem) -> page(visit, status, problem, null));
  }

  private Answer changeOrExplain(Visit visit, JsonObject body) {
    return Forms.orExplain(
        visit.form(),
        () -> change(visit, body, "endpoint-changed"),
        (status, problem) -> page(visit, status, problem, null));
  }

  private Answer change(Visit visit, JsonObject body, String done) {
    Endpoints.Changed changed =
        endpoints.change(
            visit.caller(),
            visit.workspaceId(),
            visit.id(),
            Forms.accepted(bodies.change(GivenBody.of(body))));
    return backToPage(visit, changed.dropped().isEmpty() ? done : "endpoint-moved");
  }

  /** Sends a test and shows its outcome. */
  Answer test(Visit visit) {
    TestSend.Result result = testSend.run(visit.caller(), visit.workspaceId(), visit.id());
    return page(
        visit,
        200,
        null,
        AttemptRow.of(
            1, result.attempt(), result.deliveryId(), CaptureState.POSITION_OF_TEST, "", false));
  }

  /** Shows the form for rotating the secret. */
  Answer askRotation(Visit visit) {
    return rotationPage(visit, 200, null, null);
  }

  Answer rotate(Visit visit) {
    JsonObject body = new JsonObject().put("overlap", visit.form().text("overlap"));
    return Forms.orExplain(
        visit.form(),
        () -> {
          Duration overlap = Forms.accepted(EndpointBody.rotation(GivenBody.of(body)));
          Endpoints.Issued issued =
              endpoints.rotateSecret(visit.caller(), visit.workspaceId(), visit.id(), overlap);
          return rotationPage(visit, 201, NewEndpointPage.secret(issued), null);
        },
        (status, problem) -> rotationPage(visit, status, null, problem));
  }

  Answer endOverlap(Visit visit) {
    endpoints.endOverlap(visit.caller(), visit.workspaceId(), visit.id());
    return backToPage(visit, "overlap-ended");
  }

  Answer confirmDeletion(Visit visit) {
    Endpoint endpoint = endpoints.show(visit.workspaceId(), visit.id());
    Frame frame = pages.frame(visit, "Delete an endpoint", EndpointsPage.PLACE);
    String path = frame.base() + "/endpoints/" + endpoint.id();
    return pages.confirm(
        frame,
        Confirmation.irreversible(
            "Delete the endpoint “%s”? Nothing more is sent to it, including deliveries that are already queued. This cannot be undone."
                .formatted(EndpointNames.of(endpoint)),
            path + "/delete",
            "Delete endpoint",
            path));
  }

  Answer delete(Visit visit) {
    endpoints.delete(visit.caller(), visit.workspaceId(), visit.id());
    return Answer.seeOther(pages.base(visit) + "/endpoints?done=endpoint-deleted");
  }

  private Answer backToPage(Visit visit, String done) {
    return Answer.seeOther(pages.base(visit) + "/endpoints/" + visit.id() + "?done=" + done);
  }

  private Answer page(
      Visit visit, int status, @Nullable FormProblem problem, @Nullable AttemptRow tested) {
    Endpoint endpoint = endpoints.show(visit.workspaceId(), visit.id());
    Instant now = clock.instant();
    EndpointLine line = lines.one(visit.workspaceId(), endpoint, now);
    List<EndpointLatencies.Hour> hours = latencies.of(endpoint.id(), now);
    Frame frame =
        pages.frame(visit, EndpointNames.of(endpoint), EndpointsPage.PLACE).withProblem(problem);
    return pages.page(
        status,
        "endpoint",
        Map.of(
            "frame",
            frame,
            "detail",
            new EndpointDetail(
                endpoint,
                line,
                hours.isEmpty() ? null : LatencyChart.of(hours, now),
                newest(visit, endpoint),
                newestPages(visit, endpoint),
                tested)));
  }

  private List<RecentAttempt> newest(Visit visit, Endpoint endpoint) {
    return deliveries.newestAttempts(visit.workspaceId(), endpoint, ATTEMPTS_MAX).stream()
        .map(each ->
            new RecentAttempt(
                each.deliveryId(),
                each.position(),
                AttemptRow.of(
                    each.attempt().number(),
                    each.attempt().made(),
                    each.deliveryId(),
                    each.position(),
                    "",
                    false)))
        .toList();
  }

  private List<SentPages.SentPage> newestPages(Visit visit, Endpoint endpoint) {
    return endpoint.paging().isStream()
        ? sentPages.list(visit.workspaceId(), endpoint.id(), null, SentPages.NEWEST, ATTEMPTS_MAX)
        : List.of();
  }

  private Answer rotationPage(
      Visit visit, int status, @Nullable ShownSecret secret, @Nullable FormProblem problem) {
    Endpoint endpoint = endpoints.show(visit.workspaceId(), visit.id());
    Map<String, Object> parameters = new HashMap<>();
    parameters.put(
        "frame",
        pages.frame(visit, "Rotate a signing secret", EndpointsPage.PLACE).withProblem(problem));
    parameters.put("endpoint", endpoint);
    parameters.put("name", EndpointNames.of(endpoint));
    parameters.put("secret", secret);
    return pages.page(status, "rotate", parameters);
  }
}
