package io.egress.api.portal;

import static java.util.Objects.requireNonNullElse;

import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.intake.EndpointBody;
import io.egress.api.intake.GivenBody;
import io.egress.api.portal.access.PortalForm;
import io.egress.api.portal.access.PortalSession;
import io.egress.api.portal.view.EndpointRow;
import io.egress.api.portal.view.FormProblem;
import io.egress.api.portal.view.ReceiverCode;
import io.egress.api.portal.view.ShownSecret;
import io.egress.platform.audit.Caller;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.SigningSecrets;
import io.egress.webhook.send.Envelope.Event;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
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
  private final EndpointBody bodies;
  private final EndpointCards cards;
  private final List<ReceiverCode> receivers = ReceiverCodes.read();

  /** What the page shows besides the list. */
  private record Shown(
      int status,
      @Nullable ShownSecret secret,
      @Nullable UUID created,
      @Nullable FormProblem problem) {
    static final Shown NOTHING = new Shown(200, null, null, null);
  }

  EndpointsPage(PageRenderer pages, Endpoints endpoints, EndpointBody bodies, EndpointCards cards) {
    this.pages = pages;
    this.endpoints = endpoints;
    this.bodies = bodies;
    this.cards = cards;
  }

  Future<Void> list(RoutingContext ctx, PortalSession session) {
    return send(ctx, session, Shown.NOTHING);
  }

  Future<Void> create(RoutingContext ctx, PortalSession session, PortalForm form) {
    JsonObject body =
        new JsonObject()
            .put("url", form.text("url"))
            .put("full_history", form.isChecked("full_history"))
            .put("standard_webhooks", form.isChecked("standard_webhooks"))
            .put("events", events(form));
    if (!form.text("description").isEmpty()) {
      body.put("description", form.text("description"));
    }
    if (!form.text("header_name").isEmpty()) {
      body.put(
          "headers", new JsonObject().put(form.text("header_name"), form.text("header_value")));
    }
    for (String limit : List.of("max_per_second", "max_in_flight")) {
      if (!form.text(limit).isEmpty()) {
        body.put(limit, EndpointPage.number(form.text(limit)));
      }
    }
    return Forms.orExplain(
        form,
        () ->
            endpoints
                .create(
                    Caller.ofPage(ctx, session.actor()),
                    session.workspaceId(),
                    Forms.accepted(bodies.creation(GivenBody.of(body))))
                .compose(issued ->
                    send(
                        ctx,
                        session,
                        new Shown(201, secret(issued), issued.endpoint().id(), null))),
        (status, problem) -> send(ctx, session, new Shown(status, null, null, problem)));
  }

  static JsonArray events(PortalForm form) {
    return new JsonArray(Event.words(form.isChecked("erasures")));
  }

  static ShownSecret secret(Endpoints.Issued issued) {
    return new ShownSecret(
        "Signing secret of " + EndpointNames.of(issued.endpoint()),
        issued.secret(),
        "Copy it now: it is shown only once. The receiver verifies each webhook with it.",
        SigningSecrets.inStandardForm(issued.secret()));
  }

  private Future<Void> send(RoutingContext ctx, PortalSession session, Shown shown) {
    String search = requireNonNullElse(FilterQuery.of(ctx, List.of(SEARCH)).get(SEARCH), "");
    int first = (page(ctx) - 1) * PAGE;
    return endpoints
        .list(session.workspaceId())
        .compose(all -> {
          List<Endpoint> matching = matching(all, search);
          return cards
              .page(session.workspaceId(), matching, first, PAGE)
              .map(listed -> {
                Map<String, Object> parameters = new HashMap<>();
                parameters.put(
                    "frame",
                    pages.frame(ctx, session, "Endpoints", PLACE).withProblem(shown.problem()));
                parameters.put("endpoints", listed.stream().map(EndpointsPage::row).toList());
                parameters.put("inAll", all.size());
                parameters.put("isSearchable", all.size() > PAGE);
                parameters.put("search", search);
                parameters.put("next", next(ctx, search, first, matching.size()));
                parameters.put("secret", shown.secret());
                parameters.put("created", shown.created());
                parameters.put("receivers", receivers);
                return pages.send(ctx, shown.status(), "endpoints", parameters);
              });
        });
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

  /** The query of the next page; null on the last one. */
  private static @Nullable String next(RoutingContext ctx, String search, int first, int inAll) {
    if (first + PAGE >= inAll) {
      return null;
    }
    return (search.isEmpty() ? "" : SEARCH + "=" + FilterQuery.encoded(search) + "&")
        + "page="
        + (page(ctx) + 1);
  }

  private static EndpointRow row(EndpointCards.Listed listed) {
    return new EndpointRow(listed.endpoint(), listed.status());
  }

  private static int page(RoutingContext ctx) {
    String asked = ctx.queryParams().get("page");
    return asked != null && asked.matches("[1-9][0-9]{0,5}") ? Integer.parseInt(asked) : 1;
  }
}
