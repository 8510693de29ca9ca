package io.egress.api.portal;

import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.portal.access.PortalSession;
import io.egress.api.portal.view.Frame;
import io.egress.api.portal.view.Overview;
import io.egress.api.portal.view.Overview.EndpointCard;
import io.egress.platform.http.HttpExchange;
import io.egress.webhook.queue.Rebuild;
import io.egress.webhook.queue.RebuildStore;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The overview of a workspace. */
final class OverviewPage {
  private static final int ENDPOINTS_MAX = 24;

  private final PageRenderer pages;
  private final CaptureLookups captures;
  private final Endpoints endpoints;
  private final EndpointCards cards;
  private final Pool pool;
  private final Clock clock;

  OverviewPage(
      PageRenderer pages,
      CaptureLookups captures,
      Endpoints endpoints,
      EndpointCards cards,
      Pool pool,
      Clock clock) {
    this.pages = pages;
    this.captures = captures;
    this.endpoints = endpoints;
    this.cards = cards;
    this.pool = pool;
    this.clock = clock;
  }

  Future<Void> show(RoutingContext ctx, PortalSession session) {
    return overview(session).map(overview -> send(ctx, session, "overview", overview));
  }

  Future<Void> live(RoutingContext ctx, PortalSession session) {
    return overview(session)
        .compose(overview ->
            LivePart.isSeen(ctx, overview)
                ? HttpExchange.endEmpty(ctx, 204)
                : Future.succeededFuture(send(ctx, session, "overview-live", overview)));
  }

  private @Nullable Void send(
      RoutingContext ctx, PortalSession session, String template, Overview overview) {
    Frame frame = pages.frame(ctx, session, "Overview", "overview");
    return pages.send(
        ctx,
        200,
        template,
        Map.of(
            "frame",
            frame,
            "overview",
            overview,
            "live",
            LivePart.path(frame.base() + "/live/overview", "", overview)));
  }

  private Future<Overview> overview(PortalSession session) {
    Instant now = clock.instant();
    return captures
        .head(session.workspaceId(), now)
        .compose(head ->
            endpoints
                .list(session.workspaceId())
                .compose(all ->
                    Future.all(
                            cards.worstFirst(session.workspaceId(), all, ENDPOINTS_MAX, now),
                            lostAt())
                        .map(both ->
                            new Overview(
                                head.position(),
                                head.newest(),
                                all.size(),
                                both.<List<EndpointCard>>resultAt(0),
                                both.resultAt(1)))));
  }

  /** Null unless what was lost is being published again. */
  private Future<@Nullable Instant> lostAt() {
    return RebuildStore.newest(pool)
        .map(newest ->
            newest
                .filter(each -> each.reason() == Rebuild.Reason.LOST)
                .filter(each -> each.finishedAt() == null)
                .map(Rebuild::requestedAt)
                .orElse(null));
  }
}
