package io.egress.api.portal.access;

import io.egress.api.admin.workspace.WorkspaceCalls;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.Refusal;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.util.Optional;
import java.util.UUID;

/**
 * Admits sessions of operators, to their own pages and to those of every workspace. The first time
 * that a session enters a workspace, the workspace's audit log has an entry before a page is shown.
 */
public final class OperatorGuard extends PortalGuard {
  /** A page about no workspace in particular. */
  public interface OperatorView {
    Future<Void> show(RoutingContext ctx, OperatorSession session);
  }

  private static final String NO_SESSION =
      "Your session has ended, or is not one of an operator. A new link opens the page again.";

  private final PortalStore store;
  private final Transactions transactions;

  OperatorGuard(Pool pool, PortalStore store, PortalAddress address) {
    super(address);
    this.store = store;
    this.transactions = new Transactions(pool);
  }

  public Handler<RoutingContext> overseeing(OperatorView view) {
    return ctx -> answer(ctx, operator(ctx, true).compose(found -> view.show(ctx, found)));
  }

  /** Like {@link #posting}, on a page about no workspace. */
  Handler<RoutingContext> postingAside(OperatorView change) {
    return WorkspaceCalls.withBody(ctx ->
        answer(
            ctx,
            operator(ctx, true)
                .compose(session -> {
                  ownForm(ctx, session.csrfToken());
                  return change.show(ctx, session);
                })));
  }

  private Future<OperatorSession> operator(RoutingContext ctx, boolean isUse) {
    return PortalCookie.read(ctx)
        .map(token -> store.findOperator(token, isUse))
        .orElseGet(() -> Future.succeededFuture(Optional.empty()))
        .map(found -> found.orElseThrow(() -> new Refusal(403, NO_SESSION)));
  }

  @Override
  Future<PortalSession> session(RoutingContext ctx, boolean isUse) {
    return operator(ctx, isUse)
        .compose(operator ->
            enter(ctx, operator, workspaceId(ctx).orElseThrow(OperatorGuard::noWorkspace)));
  }

  /** Does not create the workspace. */
  private Future<PortalSession> enter(
      RoutingContext ctx, OperatorSession operator, UUID workspaceId) {
    PortalToken token = PortalCookie.read(ctx).orElseThrow();
    return store
        .workspace(token, workspaceId)
        .map(found -> found.orElseThrow(OperatorGuard::noWorkspace))
        .compose(workspace ->
            (workspace.isVisited()
                    ? Future.<Void>succeededFuture()
                    : visit(ctx, operator, token, workspaceId))
                .map(_ -> operator.at(workspaceId, workspace.name())));
  }

  private Future<Void> visit(
      RoutingContext ctx, OperatorSession operator, PortalToken token, UUID workspaceId) {
    PortalStore.Grant grant =
        new PortalStore.Grant(workspaceId, PortalRole.OPERATOR, operator.actor());
    return transactions.run(tx ->
        PortalStore.visit(tx, token, workspaceId)
            .compose(isFirst ->
                isFirst
                    ? AuditLog.write(
                        tx, workspaceId, Caller.ofPage(ctx, operator.actor()), grant.opened())
                    : Future.<Void>succeededFuture()));
  }

  private static Refusal noWorkspace() {
    return new Refusal(404, "There is no such workspace.");
  }
}
