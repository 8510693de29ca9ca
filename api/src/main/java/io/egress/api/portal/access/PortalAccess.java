package io.egress.api.portal.access;

import static java.util.Objects.requireNonNull;

import io.egress.api.intake.Fields;
import io.egress.api.intake.Intake;
import io.egress.api.intake.Shape;
import io.egress.api.workspace.Creations;
import io.egress.api.workspace.WorkspaceCalls;
import io.egress.api.workspace.Workspaces;
import io.egress.audit.Act;
import io.egress.audit.AuditLog;
import io.egress.audit.Caller;
import io.egress.database.Transactions;
import io.egress.document.UtcInstant;
import io.egress.endpoint.SecretBox;
import io.egress.http.HttpExchange;
import io.egress.http.Refusal;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Creates portal links and the sessions they open. */
public final class PortalAccess {
  private static final Shape LINK = Shape.of("role", "actor");
  private static final int ROLE_CHARACTERS_MAX = 20;
  private static final int ACTOR_CHARACTERS_MAX = 200;

  private final Transactions transactions;
  private final PortalStore store;
  private final PortalAddress address;
  private final PortalCookie cookie;
  private final PortalGuard guard;
  private final Creations creations;

  public PortalAccess(Pool pool, @Nullable SecretBox secretBox, PortalAddress address) {
    this.transactions = new Transactions(pool);
    this.store = new PortalStore(pool);
    this.address = requireNonNull(address, "address is null");
    this.cookie = new PortalCookie(address);
    this.guard = new PortalGuard(store, address);
    this.creations = new Creations(pool, secretBox, "portal-links");
  }

  public PortalGuard guard() {
    return guard;
  }

  /** Called by the internal API. The link is shown only once. */
  public Future<Void> createLink(RoutingContext exchange, UUID workspaceId) {
    PortalStore.Grant grant =
        Intake.read(WorkspaceCalls.body(exchange), LINK, fields -> grant(fields, workspaceId))
            .orRefuse();
    Caller caller = Caller.ofApi(exchange);
    PortalToken token = PortalToken.make();
    String url = address.url(exchange.request()) + "/portal/open?token=" + token.text();
    return creations
        .answer(
            exchange,
            workspaceId,
            tx ->
                Workspaces.requireOpen(tx, workspaceId)
                    .compose(open -> PortalStore.addLink(tx, token, grant))
                    .compose(
                        expiresAt ->
                            AuditLog.write(
                                    tx,
                                    workspaceId,
                                    caller,
                                    act("portal_link.created", "portal_link", grant))
                                .map(
                                    new JsonObject()
                                        .put("url", url)
                                        .put("expires_at", UtcInstant.format(expiresAt)))))
        .compose(answered -> store.forget().otherwiseEmpty());
  }

  /** Exchanges a link's token for a session and redirects to the workspace's page. */
  public Handler<RoutingContext> open() {
    return WorkspaceCalls.withBody(
        exchange -> begin(exchange).onFailure(failure -> HttpExchange.fail(exchange, failure)));
  }

  private Future<Void> begin(RoutingContext exchange) {
    PortalToken session = PortalToken.make();
    return Future.succeededFuture()
        .map(ready -> PortalForm.of(exchange).text("token"))
        .map(text -> PortalToken.read(text).orElseThrow(PortalAccess::refusedLink))
        .compose(link -> transactions.run(tx -> open(tx, exchange, link, session)))
        .compose(
            grant -> {
              cookie.set(exchange, grant.workspaceId(), session);
              return seeOther(exchange, address.workspace(grant.workspaceId()) + "/");
            });
  }

  private static Future<PortalStore.Grant> open(
      SqlConnection tx, RoutingContext exchange, PortalToken link, PortalToken session) {
    return PortalStore.open(tx, link, session)
        .map(opened -> opened.orElseThrow(PortalAccess::refusedLink))
        .compose(
            grant ->
                AuditLog.write(
                        tx,
                        grant.workspaceId(),
                        Caller.ofPage(exchange, grant.actor()),
                        act("portal_session.opened", "portal_session", grant))
                    .map(grant));
  }

  private static Act act(String action, String kind, PortalStore.Grant grant) {
    return new Act(
        action,
        kind,
        null,
        new JsonObject().put("role", grant.role().word()).put("actor", grant.actor()));
  }

  /** Ends the session and shows {@code goodbye}. */
  public Handler<RoutingContext> leave(Handler<RoutingContext> goodbye) {
    return guard.posting(
        (exchange, session, form) ->
            store
                .end(PortalCookie.read(exchange).orElseThrow())
                .map(
                    ended -> {
                      cookie.remove(exchange, session.workspaceId());
                      goodbye.handle(exchange);
                      return null;
                    }));
  }

  /** Redirects with 303 after a form was accepted. */
  public static Future<Void> seeOther(RoutingContext exchange, String path) {
    exchange.response().putHeader(HttpHeaders.LOCATION, path);
    return HttpExchange.endEmpty(exchange, 303);
  }

  private static Refusal refusedLink() {
    return new Refusal(
        403,
        "This link has expired, has already been used, or is incomplete. A link opens the page once,"
            + " within five minutes. Open the page again from your application.");
  }

  private static PortalStore.Grant grant(Fields fields, UUID workspaceId) {
    String word = fields.text("role", ROLE_CHARACTERS_MAX);
    PortalRole role =
        PortalRole.find(word)
            .orElseGet(
                () -> {
                  if (fields.isSound("role")) {
                    fields.fault("role", "must be view or admin");
                  }
                  return PortalRole.VIEW;
                });
    String actor = fields.optionalText("actor", ACTOR_CHARACTERS_MAX);
    if (actor != null && !Caller.isActor(actor)) {
      fields.fault("actor", "must be visible characters");
    }
    return new PortalStore.Grant(workspaceId, role, actor);
  }
}
