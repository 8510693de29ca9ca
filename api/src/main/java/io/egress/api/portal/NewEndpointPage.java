package io.egress.api.portal;

import io.egress.api.admin.Operations.OfEndpoints;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.call.Answer;
import io.egress.api.intake.EndpointBody;
import io.egress.api.intake.GivenBody;
import io.egress.api.portal.access.PortalForm;
import io.egress.api.portal.access.Visit;
import io.egress.api.portal.view.FormProblem;
import io.egress.api.portal.view.ReceiverCode;
import io.egress.api.portal.view.ShownSecret;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.EndpointSpec;
import io.egress.webhook.endpoint.NewEndpoint;
import io.egress.webhook.endpoint.Paging;
import io.egress.webhook.endpoint.SigningKey;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The forms for a new endpoint and for a clone, and what its receiver needs once there is one. */
final class NewEndpointPage {
  private final PageRenderer pages;
  private final Endpoints endpoints;
  private final EndpointBody bodies;
  private final List<ReceiverCode> receivers = ReceiverCodes.read();

  NewEndpointPage(PageRenderer pages, OfEndpoints ofEndpoints) {
    this.pages = pages;
    this.endpoints = ofEndpoints.endpoints();
    this.bodies = ofEndpoints.bodies();
  }

  Answer ask(Visit visit) {
    return form(visit, 200, null);
  }

  Answer create(Visit visit) {
    PortalForm form = visit.form();
    JsonObject body = EndpointForm.newBody(form);
    return Forms.orExplain(
        form,
        () -> {
          NewEndpoint endpoint = Forms.accepted(bodies.creation(GivenBody.of(body)));
          return created(visit, endpoints.create(visit.caller(), visit.workspaceId(), endpoint));
        },
        (status, problem) -> form(visit, status, problem));
  }

  /** Shows the form for a clone. */
  Answer askClone(Visit visit) {
    return cloneForm(visit, 200, null);
  }

  Answer clone(Visit visit) {
    PortalForm form = visit.form();
    return Forms.orExplain(
        form,
        () -> {
          Paging original = endpoints.show(visit.workspaceId(), visit.id()).paging();
          EndpointBody.Clone wanted =
              Forms.accepted(
                  EndpointBody.clone(GivenBody.of(EndpointForm.startBody(form)), original));
          return created(
              visit, endpoints.clone(visit.caller(), visit.workspaceId(), visit.id(), wanted));
        },
        (status, problem) -> cloneForm(visit, status, problem));
  }

  private Answer cloneForm(Visit visit, int status, @Nullable FormProblem problem) {
    Endpoint original = endpoints.show(visit.workspaceId(), visit.id());
    return pages.page(
        status,
        "endpoint-clone",
        Map.of(
            "frame",
            pages
                .frame(visit, "Clone " + EndpointNames.of(original), EndpointsPage.PLACE)
                .withProblem(problem),
            "original",
            original,
            "name",
            EndpointNames.of(original)));
  }

  private Answer form(Visit visit, int status, @Nullable FormProblem problem) {
    return pages.page(
        status,
        "endpoint-new",
        Map.of(
            "frame",
            pages.frame(visit, "Add an endpoint", EndpointsPage.PLACE).withProblem(problem),
            "spec",
            EndpointSpec.of("")));
  }

  private Answer created(Visit visit, Endpoints.Issued issued) {
    return pages.page(
        201,
        "endpoint-created",
        Map.of(
            "frame",
            pages.frame(visit, EndpointNames.of(issued.endpoint()), EndpointsPage.PLACE),
            "secret",
            secret(issued),
            "created",
            issued.endpoint().id(),
            "receivers",
            receivers));
  }

  /** The secret does not verify {@code webhook-signature} where that is by Ed25519. */
  static ShownSecret secret(Endpoints.Issued issued) {
    Endpoint endpoint = issued.endpoint();
    List<SigningKey> publicKeys = endpoint.publicKeys();
    return new ShownSecret(
        "Signing secret of " + EndpointNames.of(endpoint),
        issued.secret(),
        "Copy it now: it is shown only once. The receiver verifies "
            + (publicKeys.isEmpty() ? "each webhook" : "x-service-signature")
            + " with it.",
        publicKeys.isEmpty() ? issued.standardWebhooksSecret() : null,
        publicKeys.stream().map(SigningKey::publicKey).toList());
  }
}
