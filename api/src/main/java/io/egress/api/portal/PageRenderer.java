package io.egress.api.portal;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import io.egress.api.call.Answer;
import io.egress.api.portal.access.OperatorSession;
import io.egress.api.portal.access.PortalAddress;
import io.egress.api.portal.access.PortalSession;
import io.egress.api.portal.access.Visit;
import io.egress.api.portal.view.Assets;
import io.egress.api.portal.view.Confirmation;
import io.egress.api.portal.view.Frame;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.RequestLifetime;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Renders templates, which are compiled at build time and escape their parameters. */
final class PageRenderer {
  private static final int NO_SESSION = 403;
  private static final int NOT_NOW = 503;
  private static final Pattern OF_WORKSPACE = Pattern.compile("/portal/([^/]+)/");
  private static final String OPERATOR_PAGES = "/portal" + PortalAddress.OPERATOR;
  private static final String OPERATOR = "operator";

  /** Without the ancestors, which end it. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " form-action 'self'; base-uri 'none'; frame-ancestors ";

  private final TemplateEngine templates = TemplateEngine.createPrecompiled(ContentType.Html);
  private final PortalAddress address;
  private final Assets assets;
  private final ServiceTroubles troubles;
  private final Clock clock;

  PageRenderer(PortalAddress address, Assets assets, ServiceTroubles troubles, Clock clock) {
    this.address = address;
    this.assets = assets;
    this.troubles = troubles;
    this.clock = clock;
  }

  /** Sets the headers of every response, and turns errors into pages. */
  void guard(RoutingContext ctx) {
    ctx.response()
        .putHeader(
            "content-security-policy",
            POLICY
                + (address.ancestors().isEmpty() || isOfOperator(ctx)
                    ? "'none'"
                    : String.join(" ", address.ancestors())))
        .putHeader("referrer-policy", "no-referrer");
    HttpExchange.answerErrorsAs(ctx, this::error);
    RequestLifetime.of(ctx).adviseIfUnanswered("Check that before you repeat it");
    ctx.next();
  }

  /** No application embeds the pages of operators. */
  private static boolean isOfOperator(RoutingContext ctx) {
    String path = ctx.normalizedPath();
    return path.equals(OPERATOR_PAGES) || path.startsWith(OPERATOR_PAGES + "/");
  }

  /** {@code place} is the selected entry of the navigation. */
  Frame frame(Visit visit, String title, String place) {
    PortalSession session = visit.session();
    return new Frame(
        title,
        place,
        base(session),
        session.isOperator() ? operatorBase() : base(session),
        session.workspaceId(),
        session.workspaceName(),
        session.end(),
        role(session),
        session.mayChange(),
        session.actor(),
        session.csrfToken(),
        assets,
        clock.instant(),
        TroublesPart.of(troubles.now(session.isOperator()), base(session)),
        Notices.of(visit.query().get("done")),
        null);
  }

  /** Of a page of an operator that belongs to no workspace. */
  Frame frame(OperatorSession session, String title, String place) {
    return new Frame(
        title,
        place,
        operatorBase(),
        operatorBase(),
        null,
        null,
        null,
        OPERATOR,
        true,
        session.actor(),
        session.csrfToken(),
        assets,
        clock.instant(),
        TroublesPart.of(troubles.now(true), operatorBase()),
        null,
        null);
  }

  private static String role(PortalSession session) {
    if (session.isOperator()) {
      return OPERATOR;
    }
    return session.mayChange() ? "admin" : "view only";
  }

  /** The common prefix of the pages of the session's workspace. */
  String base(Visit visit) {
    return base(visit.session());
  }

  private String base(PortalSession session) {
    return address.workspace(session);
  }

  /** The common prefix of the pages of operators. */
  String operatorBase() {
    return address.operator();
  }

  Answer page(int status, String template, Map<String, Object> parameters) {
    return Answer.html(status, html(template, parameters));
  }

  /** A part of a page that polls; nothing if the request says that it has just this. */
  Answer part(
      Visit visit, Object shown, String template, Supplier<Map<String, Object>> parameters) {
    return part(visit.query(), shown, template, parameters);
  }

  Answer part(
      MultiMap query, Object shown, String template, Supplier<Map<String, Object>> parameters) {
    return LivePart.isSeen(query, shown)
        ? Answer.noContent()
        : page(200, template, parameters.get());
  }

  private String html(String template, Map<String, Object> parameters) {
    StringOutput html = new StringOutput();
    templates.render(template + ".jte", parameters, html);
    return html.toString();
  }

  /** Asks for confirmation of an action. */
  Answer confirm(Frame frame, Confirmation confirmation) {
    return page(200, "confirm", Map.of("frame", frame, "confirmation", confirmation));
  }

  /** After a session was closed. */
  Answer goodbye() {
    return Answer.html(
        200,
        message("Session closed", "A new link opens the page again when you need it.", "", "", ""));
  }

  /** {@code again} and {@code back} are the paths of links, empty for none. */
  private String message(String title, String text, String again, String back, String backLabel) {
    return html(
        "message",
        Map.of(
            "assets",
            assets,
            "title",
            title,
            "text",
            text,
            "again",
            again,
            "back",
            back,
            "backLabel",
            backLabel));
  }

  /** The page that a portal link opens; those of 1.0.0 have the token in the query. */
  void open(RoutingContext ctx) {
    String token = ctx.queryParams().get("token");
    send(
        ctx,
        200,
        html(
            "open",
            Map.of(
                "assets",
                assets,
                "action",
                address.root() + "/open",
                "token",
                token == null ? "" : token)));
  }

  /** Without a session. */
  void send(RoutingContext ctx, String template, Map<String, Object> parameters) {
    send(ctx, 200, html(template, parameters));
  }

  private static void send(RoutingContext ctx, int status, String html) {
    ctx.response()
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, "text/html; charset=utf-8");
    HttpExchange.end(ctx, Buffer.buffer(html));
  }

  private void error(RoutingContext ctx, int status, String text) {
    boolean isRepeatable = status == NOT_NOW && ctx.request().method().equals(HttpMethod.GET);
    send(
        ctx,
        status,
        message(
            title(status),
            Sentence.of(text),
            isRepeatable ? address.seen(path(ctx.request())) : "",
            status == NO_SESSION ? "" : overview(ctx),
            isOfOperator(ctx) ? "Back to all workspaces" : "Back to the overview"));
  }

  private static String path(HttpServerRequest request) {
    return request.path() + (request.query() == null ? "" : "?" + request.query());
  }

  /** The back link of an error on a page. */
  private String overview(RoutingContext ctx) {
    if (isOfOperator(ctx)) {
      return operatorBase() + "/";
    }
    Matcher workspace = OF_WORKSPACE.matcher(ctx.request().path());
    return workspace.lookingAt()
        ? PathIds.uuid(workspace.group(1)).map(id -> address.workspace(id) + "/").orElse("")
        : "";
  }

  private static String title(int status) {
    return switch (status) {
      case 403 -> "Not allowed";
      case 404 -> "Not found";
      case NOT_NOW -> "Not available now";
      default -> status < 500 ? "This did not work" : "Something went wrong";
    };
  }
}
