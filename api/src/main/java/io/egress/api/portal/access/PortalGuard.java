package io.egress.api.portal.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.egress.api.workspace.WorkspaceCalls;
import io.egress.http.HttpExchange;
import io.egress.http.PathIds;
import io.egress.http.Refusal;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.UUID;

/**
 * Checks the session of every request to a workspace's page. The workspace in the path must be that
 * of the session; pages read and change only data of {@link PortalSession#workspaceId}.
 */
public final class PortalGuard {
  /** A page of a workspace. A {@link Refusal} that it throws or fails with becomes the response. */
  public interface View {
    Future<Void> show(RoutingContext exchange, PortalSession session);
  }

  /** A form that changes something. */
  public interface Change {
    Future<Void> make(RoutingContext exchange, PortalSession session, PortalForm form);
  }

  private static final String NO_SESSION =
      "Your session has ended, or was opened for another workspace. Open the page"
          + " again from your application.";

  private final PortalStore store;
  private final PortalAddress address;

  PortalGuard(PortalStore store, PortalAddress address) {
    this.store = requireNonNull(store, "store is null");
    this.address = requireNonNull(address, "address is null");
  }

  public Handler<RoutingContext> reading(View view) {
    return exchange ->
        answer(exchange, session(exchange, true).compose(session -> view.show(exchange, session)));
  }

  /** A page with nothing but a form, which sessions that change nothing do not get. */
  public Handler<RoutingContext> asking(View view) {
    return reading(
        (exchange, session) -> {
          requireAdmin(session);
          return view.show(exchange, session);
        });
  }

  private static void requireAdmin(PortalSession session) {
    if (!session.mayChange()) {
      throw new Refusal(403, "This session is read-only.");
    }
  }

  /**
   * Authenticates polling, which does not count as use of the session. When the session has ended,
   * the whole page is reloaded to show that.
   */
  public Handler<RoutingContext> polling(View view) {
    return exchange ->
        session(exchange, false)
            .onFailure(
                failure -> {
                  if (failure instanceof Refusal) {
                    exchange.response().putHeader("hx-refresh", "true");
                  }
                })
            .compose(session -> view.show(exchange, session))
            .onFailure(failure -> HttpExchange.fail(exchange, failure));
  }

  public Handler<RoutingContext> changing(Change change) {
    return posting(
        (exchange, session, form) -> {
          requireAdmin(session);
          return change.make(exchange, session, form);
        });
  }

  /** Authorizes changes that every role may make. */
  Handler<RoutingContext> posting(Change change) {
    return WorkspaceCalls.withBody(
        exchange ->
            answer(
                exchange,
                session(exchange, true)
                    .compose(
                        session -> {
                          PortalForm form = PortalForm.of(exchange);
                          requireOwnPage(exchange.request(), session, form);
                          return change.make(exchange, session, form);
                        })));
  }

  private Future<PortalSession> session(RoutingContext exchange, boolean isUse) {
    Optional<UUID> workspaceId = PathIds.uuid(exchange.pathParam("workspace"));
    Optional<PortalToken> token = PortalCookie.read(exchange);
    if (workspaceId.isEmpty() || token.isEmpty()) {
      return Future.failedFuture(new Refusal(403, NO_SESSION));
    }
    return store
        .find(workspaceId.get(), token.get(), isUse)
        .map(found -> found.orElseThrow(() -> new Refusal(403, NO_SESSION)));
  }

  /**
   * Accepts only forms of the page itself. Without a referrer, browsers send {@code null} as the
   * origin of a plain form; {@code Sec-Fetch-Site}, which scripts cannot set, tells where it is
   * from.
   */
  private void requireOwnPage(HttpServerRequest request, PortalSession session, PortalForm form) {
    String site = request.getHeader("sec-fetch-site");
    boolean isOwn =
        site == null
            ? address.origin(request).equals(request.getHeader("origin"))
            : site.equals("same-origin");
    boolean hasToken =
        MessageDigest.isEqual(
            session.csrfToken().getBytes(UTF_8), form.text(PortalForm.CSRF_FIELD).getBytes(UTF_8));
    if (!isOwn || !hasToken) {
      throw new Refusal(
          403, "This form was not sent from this page. Reload the page and try again.");
    }
  }

  private static void answer(RoutingContext exchange, Future<Void> answered) {
    answered.onFailure(failure -> HttpExchange.fail(exchange, failure));
  }
}
