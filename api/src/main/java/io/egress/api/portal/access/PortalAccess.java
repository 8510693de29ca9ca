package io.egress.api.portal.access;

import io.egress.api.admin.workspace.Creations;
import io.egress.api.admin.workspace.WorkspaceCalls;
import io.egress.api.admin.workspace.Workspaces;
import io.egress.api.intake.Fields;
import io.egress.api.intake.Intake;
import io.egress.api.intake.Shape;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.Refusal;
import io.egress.platform.json.UtcInstant;
import io.egress.webhook.endpoint.SecretBox;
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
  private final OperatorGuard operatorGuard;
  private final Creations creations;
  private final Creations operatorCreations;

  public PortalAccess(Pool pool, @Nullable SecretBox secretBox, PortalAddress address) {
    this.transactions = new Transactions(pool);
    this.store = new PortalStore(pool);
    this.address = address;
    this.cookie = new PortalCookie(address);
    this.guard = new WorkspaceGuard(store, address);
    this.operatorGuard = new OperatorGuard(pool, store, address);
    this.creations = new Creations(pool, secretBox, "portal-links");
    this.operatorCreations = new Creations(pool, secretBox, "operator-links");
  }

  /** Of the pages of workspaces, for their own sessions. */
  public PortalGuard guard() {
    return guard;
  }

  public OperatorGuard operatorGuard() {
    return operatorGuard;
  }

  /** Called by the internal API. The link is shown only once. */
  public Future<Void> createLink(RoutingContext ctx, UUID workspaceId) {
    PortalStore.Grant grant =
        Intake.read(WorkspaceCalls.given(ctx), LINK, fields -> grant(fields, workspaceId))
            .orRefuse();
    Caller caller = Caller.ofApi(ctx);
    return creations
        .answer(
            ctx,
            workspaceId,
            tx ->
                Workspaces.requireOpen(tx, workspaceId)
                    .compose(_ -> addLink(tx, ctx, caller, grant)))
        .compose(_ -> store.forget().otherwiseEmpty());
  }

  /** Called by the internal API. The link reaches all workspaces. */
  public void createOperatorLink(RoutingContext ctx) {
    Future.succeededFuture()
        .compose(_ -> {
          PortalStore.Grant grant =
              Intake.read(WorkspaceCalls.given(ctx), LINK, PortalAccess::operatorGrant).orRefuse();
          Caller caller = Caller.ofApi(ctx);
          return operatorCreations.answer(ctx, tx -> addLink(tx, ctx, caller, grant));
        })
        .compose(_ -> store.forget().otherwiseEmpty())
        .onFailure(failure -> HttpExchange.fail(ctx, failure));
  }

  private Future<JsonObject> addLink(
      SqlConnection tx, RoutingContext ctx, Caller caller, PortalStore.Grant grant) {
    PortalToken token = PortalToken.make();
    String url = address.url(ctx.request()) + "/portal/open?token=" + token.text();
    return PortalStore.addLink(tx, token, grant)
        .compose(expiresAt ->
            AuditLog.write(tx, grant.workspaceId(), caller, grant.created())
                .map(
                    new JsonObject()
                        .put("url", url)
                        .put("expires_at", UtcInstant.format(expiresAt))));
  }

  /** Exchanges a link's token for a session and redirects to the page that it opens. */
  public Handler<RoutingContext> open() {
    return WorkspaceCalls.withBody(
        ctx -> begin(ctx).onFailure(failure -> HttpExchange.fail(ctx, failure)));
  }

  private Future<Void> begin(RoutingContext ctx) {
    PortalToken session = PortalToken.make();
    return Future.succeededFuture()
        .map(_ -> PortalForm.of(ctx).text("token"))
        .map(text -> PortalToken.read(text).orElseThrow(PortalAccess::refusedLink))
        .compose(link -> transactions.run(tx -> open(tx, ctx, link, session)))
        .compose(grant -> {
          UUID workspaceId = grant.workspaceId();
          cookie.set(ctx, workspaceId, session);
          return seeOther(
              ctx,
              (workspaceId == null ? address.operator() : address.workspace(workspaceId)) + "/");
        });
  }

  private static Future<PortalStore.Grant> open(
      SqlConnection tx, RoutingContext ctx, PortalToken link, PortalToken session) {
    return PortalStore.open(tx, link, session)
        .map(opened -> opened.orElseThrow(PortalAccess::refusedLink))
        .compose(grant ->
            AuditLog.write(
                    tx, grant.workspaceId(), Caller.ofPage(ctx, grant.actor()), grant.opened())
                .map(grant));
  }

  /** Ends the session and shows {@code goodbye}. */
  public Handler<RoutingContext> leave(Handler<RoutingContext> goodbye) {
    return guard.posting((ctx, session, _) -> end(ctx, session.workspaceId(), goodbye));
  }

  /** Like {@link #leave}, for a session of an operator. */
  public Handler<RoutingContext> leaveAsOperator(Handler<RoutingContext> goodbye) {
    return operatorGuard.postingAside((ctx, _) -> end(ctx, null, goodbye));
  }

  private Future<Void> end(
      RoutingContext ctx, @Nullable UUID workspaceId, Handler<RoutingContext> goodbye) {
    return store
        .end(PortalCookie.read(ctx).orElseThrow())
        .map(_ -> {
          cookie.remove(ctx, workspaceId);
          goodbye.handle(ctx);
          return null;
        });
  }

  /** Redirects with 303 after a form was accepted. */
  public static Future<Void> seeOther(RoutingContext ctx, String path) {
    ctx.response().putHeader(HttpHeaders.LOCATION, path);
    return HttpExchange.endEmpty(ctx, 303);
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
            .filter(found -> found != PortalRole.OPERATOR)
            .orElseGet(() -> {
              if (fields.isSound("role")) {
                fields.fault(
                    "role",
                    word.equals(PortalRole.OPERATOR.word())
                        ? "must be view or admin: an operator's link is of no workspace"
                        : "must be view or admin");
              }
              return PortalRole.VIEW;
            });
    return new PortalStore.Grant(
        workspaceId, role, actor(fields, fields.optionalText("actor", ACTOR_CHARACTERS_MAX)));
  }

  /** The audit logs of all workspaces name the operator, so there is no link without an actor. */
  private static PortalStore.Grant operatorGrant(Fields fields) {
    String word = fields.text("role", ROLE_CHARACTERS_MAX);
    if (fields.isSound("role") && !word.equals(PortalRole.OPERATOR.word())) {
      fields.fault("role", "must be operator: other links are of a workspace");
    }
    return new PortalStore.Grant(
        null, PortalRole.OPERATOR, actor(fields, fields.text("actor", ACTOR_CHARACTERS_MAX)));
  }

  private static @Nullable String actor(Fields fields, @Nullable String actor) {
    if (actor != null && fields.isSound("actor") && !Caller.isActor(actor)) {
      fields.fault("actor", "must be visible characters");
    }
    return actor;
  }
}
