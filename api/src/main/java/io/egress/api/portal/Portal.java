package io.egress.api.portal;

import static java.util.Objects.requireNonNull;

import io.egress.api.deliveries.DeliveryReads;
import io.egress.api.deliveries.RecentOutcomes;
import io.egress.api.portal.access.PortalAccess;
import io.egress.api.portal.access.PortalAddress;
import io.egress.api.portal.access.PortalGuard;
import io.egress.deliverylog.LogDays;
import io.egress.deliverylog.LoggedDeliveries;
import io.egress.endpoint.EndpointStore;
import io.egress.http.Routes;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.time.Clock;

/** Every page there is. Those of a workspace all pass its {@link PortalGuard}. */
public final class Portal {
  private static final String ROOT = "/portal";
  private static final String WORKSPACE = ROOT + "/:workspace";

  private final PortalAccess access;
  private final AssetFiles assets = new AssetFiles();
  private final PageRenderer pages;
  private final OverviewPage overview;
  private final DeliveriesPage deliveries;

  public Portal(
      Pool pool,
      PortalAddress address,
      PortalAccess access,
      DeliveryReads deliveryReads,
      LogDays days) {
    this.access = requireNonNull(access, "access is null");
    this.pages = new PageRenderer(address, assets.below(address.root()));
    CaptureLookups captures = new CaptureLookups(pool);
    EndpointStore endpoints = new EndpointStore(pool);
    this.overview =
        new OverviewPage(
            pages,
            captures,
            endpoints,
            new RecentOutcomes(pool, new LoggedDeliveries(pool, days)),
            Clock.systemUTC());
    this.deliveries = new DeliveriesPage(pages, captures, endpoints, deliveryReads);
  }

  public Routes routes() {
    PortalGuard guard = access.guard();
    return new Routes()
        .guard(ROOT + "/", pages::guard)
        .get(ROOT + AssetFiles.ROUTE, assets::serve)
        .get(ROOT + "/open", pages::open)
        .post(ROOT + "/open", access.open())
        .get(WORKSPACE, guard.reading(overview::show))
        .get(WORKSPACE + "/", guard.reading(overview::show))
        .post(WORKSPACE + "/leave", access.leave(this::goodbye))
        .get(WORKSPACE + "/live/overview", guard.polling(overview::live))
        .get(WORKSPACE + "/deliveries", guard.reading(deliveries::list))
        .get(WORKSPACE + "/live/deliveries", guard.polling(deliveries::liveList))
        .get(WORKSPACE + "/deliveries/:id", guard.reading(deliveries::show))
        .get(WORKSPACE + "/live/deliveries/:id", guard.polling(deliveries::live));
  }

  private void goodbye(RoutingContext exchange) {
    pages.message(
        exchange,
        200,
        "Session closed",
        "Open the page again from your application when you need it.");
  }
}
