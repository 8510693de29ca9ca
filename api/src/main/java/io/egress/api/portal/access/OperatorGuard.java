package io.egress.api.portal.access;

import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.call.Calls;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.Refusal;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.util.UUID;

/**
 * Admits sessions of operators, to their own pages and to those of every workspace. The first time
 * that a session enters a workspace, the workspace's audit log has an entry before a page is shown.
 */
public final class OperatorGuard extends PortalGuard {
  /** A page about no workspace in particular. */
  public interface OperatorView {
    Answer show(Call call, OperatorSession session);
  }

  private static final String NO_SESSION =
      "Your session has ended, or is not one of an operator. A new link opens the page again.";

  private final PortalStore store;
  private final Transactions transactions;

  OperatorGuard(Calls calls, Pool pool, PortalStore store, PortalAddress address) {
    super(calls, address);
    this.store = store;
    this.transactions = new Transactions(pool);
  }

  public Handler<RoutingContext> overseeing(OperatorView view) {
    return calls().answer(call -> view.show(call, operator(call, true)));
  }

  /** Like {@link #poll}, of a page about no workspace. */
  public Handler<RoutingContext> watching(OperatorView view) {
    return reloading(calls().answer(call -> view.show(call, operator(call, false))));
  }

  /** Like {@link #submit}, on a page about no workspace. */
  Handler<RoutingContext> submitAside(OperatorView change) {
    return calls()
        .withBody(call -> {
          OperatorSession session = operator(call, true);
          ownForm(call, session.csrfToken());
          return change.show(call, session);
        });
  }

  private OperatorSession operator(Call call, boolean isUse) {
    return PortalCookie.read(call)
        .flatMap(token -> store.findOperator(token, isUse))
        .orElseThrow(() -> new Refusal(403, NO_SESSION));
  }

  /** Does not create the workspace. */
  @Override
  PortalSession session(Call call, boolean isUse) {
    OperatorSession operator = operator(call, isUse);
    UUID workspaceId = call.pathId("workspace").orElseThrow(OperatorGuard::noWorkspace);
    PortalToken token = PortalCookie.read(call).orElseThrow();
    PortalStore.Workspace workspace =
        store.workspace(token, workspaceId).orElseThrow(OperatorGuard::noWorkspace);
    if (!workspace.isVisited()) {
      recordVisit(call, operator, token, workspaceId);
    }
    return operator.at(workspaceId, workspace.name(), workspace.end());
  }

  private void recordVisit(
      Call call, OperatorSession operator, PortalToken token, UUID workspaceId) {
    PortalStore.Grant grant =
        new PortalStore.Grant(workspaceId, PortalRole.OPERATOR, operator.actor());
    transactions.call(tx -> {
      boolean isFirst = PortalStore.visit(tx, token, workspaceId);
      if (isFirst) {
        AuditLog.record(tx, workspaceId, call.caller(operator.actor()), grant.opened());
      }
      return isFirst;
    });
  }

  private static Refusal noWorkspace() {
    return new Refusal(404, "There is no such workspace.");
  }
}
