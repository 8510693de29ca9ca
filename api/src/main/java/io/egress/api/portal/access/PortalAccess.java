package io.egress.api.portal.access;

import io.egress.api.admin.idempotency.IdempotentCreations;
import io.egress.api.admin.workspaces.Room;
import io.egress.api.admin.workspaces.Workspaces;
import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.call.Calls;
import io.egress.api.intake.Fields;
import io.egress.api.intake.Intake;
import io.egress.api.intake.Shape;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.Refusal;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Creates portal links and the sessions they open. */
public final class PortalAccess {
  private static final Shape LINK = Shape.of("role", "actor");
  private static final int ROLE_CHARACTERS_MAX = 20;
  private static final int ACTOR_CHARACTERS_MAX = 200;

  private final Calls calls;
  private final Transactions transactions;
  private final PortalStore store;
  private final PortalAddress address;
  private final PortalCookie cookie;
  private final PortalGuard guard;
  private final OperatorGuard operatorGuard;
  private final IdempotentCreations creations;
  private final IdempotentCreations operatorCreations;

  public PortalAccess(
      Calls calls, Pool pool, @Nullable SecretBox secretBox, PortalAddress address) {
    this.calls = calls;
    this.transactions = new Transactions(pool);
    this.store = new PortalStore(pool);
    this.address = address;
    this.cookie = new PortalCookie(address);
    this.guard = new WorkspaceGuard(calls, store, address);
    this.operatorGuard = new OperatorGuard(calls, pool, store, address);
    this.creations = new IdempotentCreations(pool, secretBox, "portal-links");
    this.operatorCreations = new IdempotentCreations(pool, secretBox, "operator-links");
  }

  /** Of the pages of workspaces, for their own sessions. */
  public PortalGuard guard() {
    return guard;
  }

  public OperatorGuard operatorGuard() {
    return operatorGuard;
  }

  private record Link(String url, Instant expiresAt) {}

  /** Called by the internal API. The link is shown only once. */
  public Answer createLink(Call call) {
    UUID workspaceId = call.workspaceId();
    PortalStore.Grant grant =
        Intake.read(call.body(), LINK, fields -> grant(fields, workspaceId)).orRefuse();
    Caller caller = call.caller();
    Answer created =
        creations.answer(
            call,
            workspaceId,
            tx -> {
              Workspaces.requireOpen(tx, workspaceId);
              Room.LINKS.require(tx, workspaceId);
              return addLink(tx, call, caller, grant);
            });
    store.forget();
    return created;
  }

  /** Called by the internal API. The link reaches all workspaces. */
  public Answer createOperatorLink(Call call) {
    PortalStore.Grant grant =
        Intake.read(call.body(), LINK, PortalAccess::operatorGrant).orRefuse();
    Caller caller = call.caller();
    Answer created = operatorCreations.answer(call, tx -> addLink(tx, call, caller, grant));
    store.forget();
    return created;
  }

  private Link addLink(SqlConnection tx, Call call, Caller caller, PortalStore.Grant grant) {
    PortalToken token = PortalToken.make();
    String url = address.url(call.request()) + "/portal/open#" + token.text();
    Instant expiresAt = PortalStore.addLink(tx, token, grant);
    AuditLog.record(tx, grant.workspaceId(), caller, grant.created());
    return new Link(url, expiresAt);
  }

  /** Exchanges a link's token for a session and redirects to the page that it opens. */
  public Handler<RoutingContext> open() {
    return calls.withBody(call -> {
      PortalToken session = PortalToken.make();
      PortalToken link =
          PortalToken.read(token(PortalForm.of(call))).orElseThrow(PortalAccess::refusedLink);
      PortalStore.Grant grant = transactions.call(tx -> open(tx, call, link, session));
      UUID workspaceId = grant.workspaceId();
      String root = workspaceId == null ? address.operator() : address.workspace(workspaceId);
      return cookie.set(Answer.seeOther(root + "/"), workspaceId, session);
    });
  }

  /** Without scripts, the token is at the end of the pasted link. */
  private static String token(PortalForm form) {
    String link = form.text("link");
    return link.isEmpty() ? form.text("token") : link.substring(link.indexOf('#') + 1).strip();
  }

  private static PortalStore.Grant open(
      SqlConnection tx, Call call, PortalToken link, PortalToken session) {
    PortalStore.Grant grant =
        PortalStore.open(tx, link, session, call.caller(null).remoteAddress())
            .orElseThrow(PortalAccess::refusedLink);
    AuditLog.record(tx, grant.workspaceId(), call.caller(grant.actor()), grant.opened());
    return grant;
  }

  /** Ends the session and shows {@code goodbye}. */
  public Handler<RoutingContext> leave(Supplier<Answer> goodbye) {
    return guard.submit(visit -> end(visit.call(), visit.workspaceId(), goodbye.get()));
  }

  /** Like {@link #leave}, for a session of an operator. */
  public Handler<RoutingContext> leaveAsOperator(Supplier<Answer> goodbye) {
    return operatorGuard.submitAside((call, _) -> end(call, null, goodbye.get()));
  }

  private Answer end(Call call, @Nullable UUID workspaceId, Answer goodbye) {
    store.end(PortalCookie.read(call).orElseThrow());
    return cookie.remove(goodbye, workspaceId);
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
