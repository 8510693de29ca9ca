package io.egress.api.portal;

import static java.util.Objects.requireNonNullElse;

import io.egress.api.admin.Operations.OfEndpoints;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.admin.signing.ServiceKeys;
import io.egress.api.call.Answer;
import io.egress.api.intake.EndpointBody;
import io.egress.api.intake.GivenBody;
import io.egress.api.portal.access.PortalForm;
import io.egress.api.portal.access.Visit;
import io.egress.api.portal.view.EndpointRow;
import io.egress.api.portal.view.FormProblem;
import io.egress.api.portal.view.ReceiverCode;
import io.egress.api.portal.view.ShownSecret;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.EndpointSpec;
import io.egress.webhook.endpoint.NewEndpoint;
import io.egress.webhook.endpoint.SigningKey;
import io.vertx.core.MultiMap;
import io.vertx.core.json.JsonObject;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The list of a workspace's endpoints, and the form for a new one. */
final class EndpointsPage {
  static final String PLACE = "endpoints";

  private static final int PAGE = 50;
  private static final String SEARCH = "search";

  private final PageRenderer pages;
  private final Endpoints endpoints;
  private final ServiceKeys serviceKeys;
  private final EndpointBody bodies;
  private final EndpointCards cards;
  private final Clock clock;
  private final List<ReceiverCode> receivers = ReceiverCodes.read();

  /** What the page shows besides the list. */
  private record Shown(
      int status,
      @Nullable ShownSecret secret,
      @Nullable UUID created,
      @Nullable FormProblem problem) {
    static final Shown NOTHING = new Shown(200, null, null, null);
  }

  EndpointsPage(PageRenderer pages, OfEndpoints ofEndpoints, EndpointCards cards, Clock clock) {
    this.clock = clock;
    this.pages = pages;
    this.endpoints = ofEndpoints.endpoints();
    this.serviceKeys = ofEndpoints.serviceKeys();
    this.bodies = ofEndpoints.bodies();
    this.cards = cards;
  }

  Answer list(Visit visit) {
    return page(visit, Shown.NOTHING);
  }

  Answer create(Visit visit) {
    PortalForm form = visit.form();
    JsonObject body =
        EndpointForm.body(form)
            .put("full_history", form.isChecked("full_history"))
            .put("paused", form.isChecked("paused"));
    if (!form.text("header_name").isEmpty()) {
      body.put(
          "headers", new JsonObject().put(form.text("header_name"), form.text("header_value")));
    }
    return Forms.orExplain(
        form,
        () -> {
          NewEndpoint endpoint = Forms.accepted(bodies.creation(GivenBody.of(body)));
          Endpoints.Issued issued = endpoints.create(visit.caller(), visit.workspaceId(), endpoint);
          return page(
              visit, new Shown(201, secret(issued, serviceKeys), issued.endpoint().id(), null));
        },
        (status, problem) -> page(visit, new Shown(status, null, null, problem)));
  }

  /** The secret does not verify {@code webhook-signature} where that is by a key of the service. */
  static ShownSecret secret(Endpoints.Issued issued, ServiceKeys serviceKeys) {
    Endpoint endpoint = issued.endpoint();
    List<SigningKey> publicKeys = serviceKeys.verifying(endpoint.spec());
    return new ShownSecret(
        "Signing secret of " + EndpointNames.of(endpoint),
        issued.secret(),
        "Copy it now: it is shown only once. The receiver verifies "
            + (publicKeys.isEmpty() ? "each webhook" : "x-service-signature")
            + " with it.",
        publicKeys.isEmpty() ? issued.standardWebhooksSecret() : null,
        publicKeys.stream().map(SigningKey::publicKey).toList());
  }

  private Answer page(Visit visit, Shown shown) {
    String search =
        requireNonNullElse(FilterQuery.of(visit.query(), List.of(SEARCH)).get(SEARCH), "");
    int page = number(visit.query());
    int first = (page - 1) * PAGE;
    List<Endpoint> all = endpoints.list(visit.workspaceId());
    List<Endpoint> matching = matching(all, search);
    Map<String, Object> parameters = new HashMap<>();
    parameters.put("frame", pages.frame(visit, "Endpoints", PLACE).withProblem(shown.problem()));
    parameters.put(
        "endpoints",
        cards.page(visit.workspaceId(), matching, first, PAGE).stream()
            .map(each -> new EndpointRow(each.endpoint(), each.status(clock.instant())))
            .toList());
    parameters.put("inAll", all.size());
    parameters.put("isSearchable", all.size() > PAGE);
    parameters.put("search", search);
    parameters.put("next", first + PAGE < matching.size() ? query(search, page + 1) : null);
    parameters.put("secret", shown.secret());
    parameters.put("created", shown.created());
    parameters.put("receivers", receivers);
    parameters.put("spec", EndpointSpec.of(""));
    return pages.page(shown.status(), "endpoints", parameters);
  }

  /** Those whose description, URL or id contains the text, in any case. */
  private static List<Endpoint> matching(List<Endpoint> all, String search) {
    if (search.isEmpty()) {
      return all;
    }
    String wanted = search.toLowerCase(Locale.ROOT);
    return all.stream()
        .filter(each ->
            Stream.of(requireNonNullElse(each.description(), ""), each.url(), each.id().toString())
                .anyMatch(text -> text.toLowerCase(Locale.ROOT).contains(wanted)))
        .toList();
  }

  private static String query(String search, int page) {
    return (search.isEmpty() ? "" : SEARCH + "=" + FilterQuery.encoded(search) + "&")
        + "page="
        + page;
  }

  private static int number(MultiMap query) {
    String page = query.get("page");
    return page != null && page.matches("[1-9][0-9]{0,5}") ? Integer.parseInt(page) : 1;
  }
}
