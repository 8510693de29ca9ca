package io.egress.api.portal;

import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.portal.access.OperatorSession;
import io.egress.api.portal.access.PortalAddress;
import io.egress.api.portal.access.Visit;
import io.egress.api.portal.view.Troubles;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.Refusal;
import io.egress.platform.http.Routes;
import io.vertx.core.MultiMap;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The banner of every page, which polls, so that open pages show it and drop it. While no session
 * can be used, everybody may know that the database is away, and nothing else.
 */
final class TroublesPart {
  static final String PATH = "/live/troubles";

  private static final String TEMPLATE = "troubles";

  private final PageRenderer pages;
  private final PortalAddress address;
  private final ServiceTroubles troubles;

  TroublesPart(PageRenderer pages, PortalAddress address, ServiceTroubles troubles) {
    this.pages = pages;
    this.address = address;
    this.troubles = troubles;
  }

  /** Of pages with the common prefix {@code base}. */
  static Troubles of(List<String> sentences, String base) {
    return new Troubles(sentences, LivePart.path(base + PATH, "", sentences));
  }

  Answer ofWorkspace(Visit visit) {
    return show(visit.query(), pages.base(visit), visit.session().isOperator());
  }

  Answer ofOperator(Call call, OperatorSession ignored) {
    return show(call.query(), pages.operatorBase(), true);
  }

  private Answer show(MultiMap query, String base, boolean forOperator) {
    List<String> now = troubles.now(forOperator);
    return pages.part(query, now, TEMPLATE, () -> parameters(now, base));
  }

  /** Also answers while no session can be used. */
  Routes.Call evenWithoutDatabase(Routes.Call call) {
    return call.with(ctx -> {
      String ofDatabase = troubles.ofDatabase();
      if (ofDatabase == null) {
        call.handler().handle(ctx);
      } else {
        showAway(ctx, List.of(ofDatabase));
      }
    });
  }

  /** The answer to requests for pages while no session can be used. */
  Optional<Refusal> pagesAreUnavailable() {
    return Optional.ofNullable(troubles.ofDatabase()).map(sentence -> new Refusal(503, sentence));
  }

  private void showAway(RoutingContext ctx, List<String> away) {
    if (LivePart.isSeen(ctx.queryParams(), away)) {
      HttpExchange.endEmpty(ctx, 204);
      return;
    }
    String path = address.seen(ctx.request().path());
    String base = path.substring(0, path.length() - PATH.length());
    pages.send(ctx, TEMPLATE, parameters(away, base));
  }

  private static Map<String, Object> parameters(List<String> sentences, String base) {
    return Map.of("troubles", of(sentences, base));
  }
}
