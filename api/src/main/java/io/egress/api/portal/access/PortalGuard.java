package io.egress.api.portal.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.api.admin.workspace.WorkspaceCalls;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.Refusal;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.UUID;

/**
 * Checks the session of every request to a workspace's page. Pages read and change only data of
 * {@link PortalSession#workspaceId}, which is the workspace in the path.
 */
public abstract class PortalGuard {
  /** A page of a workspace. A {@link Refusal} that it throws or fails with becomes the response. */
  public interface View {
    Future<Void> show(RoutingContext ctx, PortalSession session);
  }

  /** A form that changes something. */
  public interface Change {
    Future<Void> make(RoutingContext ctx, PortalSession session, PortalForm form);
  }

  private final PortalAddress address;

  PortalGuard(PortalAddress address) {
    this.address = address;
  }

  /** Fails with a {@link Refusal} if the request has no session that may see the page. */
  abstract Future<PortalSession> session(RoutingContext ctx, boolean isUse);

  public final Handler<RoutingContext> reading(View view) {
    return ctx -> answer(ctx, session(ctx, true).compose(session -> view.show(ctx, session)));
  }

  /** A page with nothing but a form, which sessions that change nothing do not get. */
  public final Handler<RoutingContext> asking(View view) {
    return reading((ctx, session) -> {
      requireChanger(session);
      return view.show(ctx, session);
    });
  }

  private static void requireChanger(PortalSession session) {
    if (!session.mayChange()) {
      throw new Refusal(403, "This session is read-only.");
    }
  }

  /**
   * Authenticates polling, which does not count as use of the session. When the session has ended,
   * the whole page is reloaded to show that.
   */
  public final Handler<RoutingContext> polling(View view) {
    return ctx ->
        session(ctx, false)
            .onFailure(failure -> {
              if (failure instanceof Refusal) {
                ctx.response().putHeader("hx-refresh", "true");
              }
            })
            .compose(session -> view.show(ctx, session))
            .onFailure(failure -> HttpExchange.fail(ctx, failure));
  }

  public final Handler<RoutingContext> changing(Change change) {
    return posting((ctx, session, form) -> {
      requireChanger(session);
      return change.make(ctx, session, form);
    });
  }

  /** Authorizes changes that every role may make. */
  final Handler<RoutingContext> posting(Change change) {
    return WorkspaceCalls.withBody(ctx ->
        answer(
            ctx,
            session(ctx, true)
                .compose(session -> change.make(ctx, session, ownForm(ctx, session.csrfToken())))));
  }

  static Optional<UUID> workspaceId(RoutingContext ctx) {
    return PathIds.uuid(ctx.pathParam("workspace"));
  }

  /** The form of a request, if the page itself sent it; throws {@link Refusal}. */
  final PortalForm ownForm(RoutingContext ctx, String csrfToken) {
    PortalForm form = PortalForm.of(ctx);
    requireOwnPage(ctx.request(), csrfToken, form);
    return form;
  }

  /**
   * Accepts only forms of the page itself. Without a referrer, browsers send {@code null} as the
   * origin of a plain form; {@code Sec-Fetch-Site}, which scripts cannot set, tells where it is
   * from.
   */
  private void requireOwnPage(HttpServerRequest request, String csrfToken, PortalForm form) {
    String site = request.getHeader("sec-fetch-site");
    boolean isOwn =
        site == null
            ? address.origin(request).equals(request.getHeader("origin"))
            : site.equals("same-origin");
    boolean hasToken =
        MessageDigest.isEqual(
            csrfToken.getBytes(UTF_8), form.text(PortalForm.CSRF_FIELD).getBytes(UTF_8));
    if (!isOwn || !hasToken) {
      throw new Refusal(
          403, "This form was not sent from this page. Reload the page and try again.");
    }
  }

  static void answer(RoutingContext ctx, Future<Void> answered) {
    answered.onFailure(failure -> HttpExchange.fail(ctx, failure));
  }
}
