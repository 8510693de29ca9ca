package io.egress.api.portal;

import static java.util.Objects.requireNonNull;

import io.egress.api.audit.AuditEntries;
import io.egress.api.deliveries.DeliveryReads;
import io.egress.api.deliveries.EndpointHealths;
import io.egress.api.deliveries.RecentOutcomes;
import io.egress.api.deliveries.SentBodies;
import io.egress.api.endpoints.Endpoints;
import io.egress.api.endpoints.TestSend;
import io.egress.api.intake.EndpointBody;
import io.egress.api.keys.ApiKeys;
import io.egress.api.portal.access.PortalAccess;
import io.egress.api.portal.access.PortalAddress;
import io.egress.api.portal.access.PortalGuard;
import io.egress.api.replays.Replays;
import io.egress.http.Refusal;
import io.egress.http.Routes;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The routes of all pages. Pages of a workspace are guarded by {@link PortalGuard} and use the
 * operations of the internal API.
 */
public final class Portal {
  private static final String ROOT = "/portal";
  private static final String WORKSPACE = ROOT + "/:workspace";
  private static final String LIVE = WORKSPACE + "/live";
  private static final String KEYS = WORKSPACE + "/keys";
  private static final String ENDPOINTS = WORKSPACE + "/endpoints";
  private static final String ENDPOINT = ENDPOINTS + "/:id";
  private static final String DELIVERIES = WORKSPACE + "/deliveries";
  private static final String REPLAYS = WORKSPACE + "/replays";

  /** The operations that pages use. */
  public record Operations(
      ApiKeys keys,
      Endpoints endpoints,
      EndpointBody endpointBodies,
      TestSend testSend,
      DeliveryReads deliveries,
      SentBodies bodies,
      RecentOutcomes outcomes,
      EndpointHealths healths,
      Replays replays,
      AuditEntries audit) {
    public Operations {
      requireNonNull(keys, "keys is null");
      requireNonNull(endpoints, "endpoints is null");
      requireNonNull(endpointBodies, "endpointBodies is null");
      requireNonNull(testSend, "testSend is null");
      requireNonNull(deliveries, "deliveries is null");
      requireNonNull(bodies, "bodies is null");
      requireNonNull(outcomes, "outcomes is null");
      requireNonNull(healths, "healths is null");
      requireNonNull(replays, "replays is null");
      requireNonNull(audit, "audit is null");
    }
  }

  private final PortalAccess access;
  private final PortalGuard guard;
  private final AssetFiles assets = new AssetFiles();
  private final PageRenderer pages;
  private final OverviewPage overview;
  private final KeysPage keys;
  private final EndpointsPage endpoints;
  private final EndpointPage endpoint;
  private final DeliveriesPage deliveries;
  private final DeliveryPage delivery;
  private final ReplaysPage replays;
  private final AuditPage audit;

  public Portal(PortalAddress address, PortalAccess access, Operations operations, Pool pool) {
    Clock clock = Clock.systemUTC();
    CaptureLookups captures = new CaptureLookups(pool);
    EndpointCards cards = new EndpointCards(operations.healths(), operations.outcomes());
    this.access = requireNonNull(access, "access is null");
    this.guard = access.guard();
    this.pages = new PageRenderer(address, assets.below(address.root()));
    this.overview = new OverviewPage(pages, captures, operations.endpoints(), cards, pool, clock);
    this.keys = new KeysPage(pages, operations.keys(), clock);
    this.endpoints =
        new EndpointsPage(pages, operations.endpoints(), operations.endpointBodies(), cards);
    this.endpoint =
        new EndpointPage(
            pages,
            operations.endpoints(),
            operations.endpointBodies(),
            operations.testSend(),
            operations.replays(),
            cards,
            clock);
    this.deliveries =
        new DeliveriesPage(pages, captures, operations.endpoints(), operations.deliveries());
    this.delivery =
        new DeliveryPage(
            pages, captures, operations.endpoints(), operations.deliveries(), operations.bodies());
    this.replays =
        new ReplaysPage(
            pages, operations.replays(), operations.endpoints(), operations.deliveries());
    this.audit = new AuditPage(pages, operations.audit());
  }

  /** Pages are answered with {@code databaseDown} while that is known. */
  public Routes routes(Supplier<Optional<Refusal>> databaseDown) {
    return new Routes()
        .guard(ROOT + "/", pages::guard)
        .get(ROOT + AssetFiles.ROUTE, assets::serve)
        .get(ROOT + "/open", pages::open)
        .and(
            new Routes()
                .post(ROOT + "/open", access.open())
                .and(views())
                .and(changes())
                .unless(databaseDown));
  }

  private Routes views() {
    return new Routes()
        .get(WORKSPACE, guard.reading(overview::show))
        .get(WORKSPACE + "/", guard.reading(overview::show))
        .get(LIVE + "/overview", guard.polling(overview::live))
        .get(KEYS, guard.reading(keys::list))
        .get(KEYS + "/:id/expiry", guard.asking(keys::askExpiry))
        .get(KEYS + "/:id/delete", guard.asking(keys::confirmDeletion))
        .get(ENDPOINTS, guard.reading(endpoints::list))
        .get(ENDPOINT, guard.reading(endpoint::show))
        .get(ENDPOINT + "/test", guard.reading(endpoint::show))
        .get(ENDPOINT + "/rotate", guard.asking(endpoint::askRotation))
        .get(ENDPOINT + "/delete", guard.asking(endpoint::confirmDeletion))
        .get(ENDPOINT + "/replay", guard.asking(replays::ask))
        .get(DELIVERIES, guard.reading(deliveries::list))
        .get(LIVE + "/deliveries", guard.polling(deliveries::liveList))
        .get(DELIVERIES + "/:id", guard.reading(delivery::show))
        .get(DELIVERIES + "/:id/body", guard.reading(delivery::body))
        .get(LIVE + "/deliveries/:id", guard.polling(delivery::live))
        .get(REPLAYS, guard.reading(replays::list))
        .get(LIVE + "/replays", guard.polling(replays::liveList))
        .get(REPLAYS + "/:id", guard.reading(replays::show))
        .get(LIVE + "/replays/:id", guard.polling(replays::live))
        .get(WORKSPACE + "/audit", guard.reading(audit::list))
        .get(WORKSPACE + "/audit/export", guard.reading(audit::export));
  }

  private Routes changes() {
    return new Routes()
        .post(WORKSPACE + "/leave", access.leave(this::goodbye))
        .post(KEYS, guard.changing(keys::mint))
        .post(KEYS + "/:id/expiry", guard.changing(keys::changeExpiry))
        .post(KEYS + "/:id/delete", guard.changing(keys::delete))
        .post(ENDPOINTS, guard.changing(endpoints::create))
        .post(ENDPOINT + "/change", guard.changing(endpoint::change))
        .post(ENDPOINT + "/headers", guard.changing(endpoint::changeHeader))
        .post(ENDPOINT + "/certificate", guard.changing(endpoint::changeCertificate))
        .post(ENDPOINT + "/pause", guard.changing(endpoint::pause))
        .post(ENDPOINT + "/resume", guard.changing(endpoint::resume))
        .post(ENDPOINT + "/test", guard.changing(endpoint::test))
        .post(ENDPOINT + "/rotate", guard.changing(endpoint::rotate))
        .post(ENDPOINT + "/end-overlap", guard.changing(endpoint::endOverlap))
        .post(ENDPOINT + "/delete", guard.changing(endpoint::delete))
        .post(ENDPOINT + "/replay", guard.changing(replays::start))
        .post(DELIVERIES + "/redeliver", guard.changing(replays::redeliverSelected))
        .post(DELIVERIES + "/:id/redeliver", guard.changing(replays::redeliver))
        .post(REPLAYS + "/:id/cancel", guard.changing(replays::cancel));
  }

  private void goodbye(RoutingContext exchange) {
    pages.message(
        exchange,
        200,
        "Session closed",
        "Open the page again from your application when you need it.",
        "");
  }
}
