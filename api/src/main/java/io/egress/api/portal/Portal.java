package io.egress.api.portal;

import io.egress.api.admin.Operations;
import io.egress.api.admin.captures.Captures;
import io.egress.api.admin.deliveries.DeliveryReads;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.portal.access.OperatorGuard;
import io.egress.api.portal.access.PortalAccess;
import io.egress.api.portal.access.PortalAddress;
import io.egress.api.portal.access.PortalGuard;
import io.egress.platform.http.RequestLifetime;
import io.egress.platform.http.Routes;
import java.time.Clock;
import java.time.Duration;

/**
 * The routes of all pages. Pages of a workspace are guarded by {@link PortalGuard} and use the
 * operations of the internal API. Operators have the same ones, below their own.
 */
public final class Portal {
  private static final Duration VERIFICATION_MAX = Duration.ofMinutes(1);

  private static final String ROOT = "/portal";
  private static final String OPERATOR = ROOT + PortalAddress.OPERATOR;
  private static final String WORKSPACE = "/:workspace";

  private final PortalAccess access;
  private final Duration testTimeout;
  private final AssetFiles assets = new AssetFiles();
  private final PageRenderer pages;
  private final TroublesPart troubles;
  private final OverviewPage overview;
  private final KeysPage keys;
  private final EndpointsPage endpoints;
  private final NewEndpointPage newEndpoint;
  private final EndpointPage endpoint;
  private final VerificationPage verification;
  private final DeliveriesPage deliveries;
  private final DeliveryPage delivery;
  private final ReplaysPage replays;
  private final AuditPage audit;
  private final CapturePage capture;
  private final CapturesPage captures;
  private final WorkspacesPage workspaces;

  public Portal(
      PortalAddress address,
      PortalAccess access,
      Operations operations,
      ServiceTroubles troubles,
      Clock clock) {
    Operations.OfWorkspaces ofWorkspaces = operations.workspaces();
    Operations.OfEndpoints ofEndpoints = operations.endpoints();
    Operations.OfDeliveries ofDeliveries = operations.deliveries();
    Operations.OfCaptures ofCaptures = operations.captures();
    Captures lookups = ofCaptures.captures();
    Endpoints all = ofEndpoints.endpoints();
    DeliveryReads reads = ofDeliveries.reads();
    EndpointLines lines =
        new EndpointLines(ofEndpoints.healths(), ofEndpoints.pending(), ofEndpoints.outcomes());
    this.access = access;
    this.testTimeout = ofEndpoints.test().timeout();
    this.pages = new PageRenderer(address, assets.below(address.root()), troubles, clock);
    this.troubles = new TroublesPart(pages, address, troubles);
    this.overview =
        new OverviewPage(
            pages, lookups, all, lines, ofWorkspaces.keys(), ofWorkspaces.retention(), clock);
    this.keys = new KeysPage(pages, ofWorkspaces.keys(), ofWorkspaces.readers(), clock);
    this.endpoints = new EndpointsPage(pages, all, lines, clock);
    this.newEndpoint = new NewEndpointPage(pages, ofEndpoints);
    this.endpoint = new EndpointPage(pages, ofEndpoints, ofDeliveries, lines, clock);
    this.verification = new VerificationPage(pages, all, ofDeliveries.verifier());
    this.deliveries = new DeliveriesPage(pages, lookups, all, reads, clock);
    this.delivery = new DeliveryPage(pages, lookups, all, reads, ofDeliveries.bodies(), clock);
    this.replays = new ReplaysPage(pages, ofDeliveries, all, clock);
    this.audit =
        new AuditPage(
            pages, ofWorkspaces.audit(), ofWorkspaces.auditExport(), all, ofWorkspaces.keys());
    this.capture = new CapturePage(pages, ofCaptures, ofWorkspaces.retention(), all, reads, clock);
    this.captures = new CapturesPage(pages, ofCaptures.list());
    this.workspaces = new WorkspacesPage(pages, ofWorkspaces.list(), lookups, clock);
  }

  public Routes routes() {
    return new Routes()
        .guard(ROOT + "/", pages::guard)
        .get(ROOT + AssetFiles.ROUTE, assets::serve)
        .get(ROOT + "/open", pages::open)
        .and(troubles().map(troubles::evenWithoutDatabase))
        .and(
            new Routes()
                .post(ROOT + "/open", access.open())
                .and(operator())
                .and(views(OPERATOR + WORKSPACE, access.operatorGuard()))
                .and(changes(OPERATOR + WORKSPACE, access.operatorGuard()))
                .and(views(ROOT + WORKSPACE, access.guard()))
                .and(changes(ROOT + WORKSPACE, access.guard()))
                .post(ROOT + WORKSPACE + "/leave", access.leave(pages::goodbye))
                .unless(troubles::pagesAreUnavailable));
  }

  private Routes troubles() {
    OperatorGuard ofOperator = access.operatorGuard();
    String ofWorkspace = WORKSPACE + TroublesPart.PATH;
    return new Routes()
        .get(OPERATOR + TroublesPart.PATH, ofOperator.watching(troubles::ofOperator))
        .get(OPERATOR + ofWorkspace, ofOperator.poll(troubles::ofWorkspace))
        .get(ROOT + ofWorkspace, access.guard().poll(troubles::ofWorkspace));
  }

  /** Before those of workspaces, because {@code operator} is not the id of one. */
  private Routes operator() {
    OperatorGuard guard = access.operatorGuard();
    return new Routes()
        .get(OPERATOR, guard.overseeing(workspaces::list))
        .get(OPERATOR + "/", guard.overseeing(workspaces::list))
        .get(OPERATOR + "/captures", guard.overseeing(workspaces::findCapture))
        .post(OPERATOR + "/leave", access.leaveAsOperator(pages::goodbye));
  }

  /** {@code root} is the path of a workspace's pages, for sessions that {@code guard} admits. */
  private Routes views(String root, PortalGuard guard) {
    String live = root + "/live";
    return new Routes()
        .get(root, guard.view(overview::show))
        .get(root + "/", guard.view(overview::show))
        .get(live + "/overview", guard.poll(overview::live))
        .get(root + "/keys", guard.view(keys::list))
        .get(root + "/keys/new", guard.form(keys::ask))
        .get(root + "/keys/:id/change", guard.form(keys::askChange))
        .get(root + "/keys/:id/delete", guard.form(keys::confirmDeletion))
        .get(root + "/endpoints", guard.view(endpoints::list))
        .get(root + "/endpoints/new", guard.form(newEndpoint::ask))
        .get(root + "/endpoints/:id", guard.view(endpoint::show))
        .get(
            root + "/endpoints/:id/verification",
            RequestLifetime.within(VERIFICATION_MAX, guard.view(verification::show)))
        .get(
            root + "/verification",
            RequestLifetime.within(VERIFICATION_MAX, guard.view(verification::showAll)))
        .get(root + "/endpoints/:id/test", guard.view(endpoint::show))
        .get(root + "/endpoints/:id/clone", guard.form(newEndpoint::askClone))
        .get(root + "/endpoints/:id/rotate", guard.form(endpoint::askRotation))
        .get(root + "/endpoints/:id/delete", guard.form(endpoint::confirmDeletion))
        .get(root + "/endpoints/:id/replay", guard.form(replays::ask))
        .get(root + "/deliveries", guard.view(deliveries::list))
        .get(live + "/deliveries", guard.poll(deliveries::liveList))
        .get(root + "/deliveries/:id", guard.view(delivery::show))
        .get(root + "/deliveries/:id/body", guard.view(delivery::body))
        .get(root + "/deliveries/:id/sent", guard.view(delivery::sent))
        .get(live + "/deliveries/:id", guard.poll(delivery::live))
        .get(root + "/captures", guard.view(captures::list))
        .get(root + "/find", guard.view(captures::find))
        .get(root + "/captures/:id", guard.view(capture::show))
        .get(root + "/captures/:id/erase", guard.form(capture::askErasure))
        .get(root + "/replays", guard.view(replays::list))
        .get(live + "/replays", guard.poll(replays::liveList))
        .get(root + "/replays/start-all", guard.form(replays::confirmForAll))
        .get(root + "/replays/:id", guard.view(replays::show))
        .get(live + "/replays/:id", guard.poll(replays::live))
        .get(root + "/audit", guard.view(audit::list))
        .get(root + "/audit/export", guard.view(audit::export));
  }

  private Routes changes(String root, PortalGuard guard) {
    String ofEndpoint = root + "/endpoints/:id";
    return new Routes()
        .post(root + "/keys", guard.changing(keys::mint))
        .post(root + "/keys/:id/expiry", guard.changing(keys::changeExpiry))
        .post(root + "/keys/:id/expectation", guard.changing(keys::changeExpectation))
        .post(root + "/keys/:id/delete", guard.changing(keys::delete))
        .post(root + "/endpoints", guard.changing(newEndpoint::create))
        .post(ofEndpoint + "/clone", guard.changing(newEndpoint::clone))
        .post(ofEndpoint + "/change", guard.changing(endpoint::change))
        .post(ofEndpoint + "/headers", guard.changing(endpoint::changeHeader))
        .post(ofEndpoint + "/certificate", guard.changing(endpoint::changeCertificate))
        .post(ofEndpoint + "/oauth2", guard.changing(endpoint::changeOAuth2))
        .post(ofEndpoint + "/pause", guard.changing(endpoint::pause))
        .post(ofEndpoint + "/skip", guard.changing(endpoint::skip))
        .post(ofEndpoint + "/resume", guard.changing(endpoint::resume))
        .post(
            ofEndpoint + "/test",
            RequestLifetime.within(testTimeout, guard.changing(endpoint::test)))
        .post(ofEndpoint + "/rotate", guard.changing(endpoint::rotate))
        .post(ofEndpoint + "/end-overlap", guard.changing(endpoint::endOverlap))
        .post(ofEndpoint + "/delete", guard.changing(endpoint::delete))
        .post(ofEndpoint + "/replay", guard.changing(replays::start))
        .post(root + "/replays", guard.changing(replays::startForAll))
        .post(root + "/deliveries/redeliver", guard.changing(replays::redeliverSelected))
        .post(root + "/deliveries/:id/redeliver", guard.changing(replays::redeliver))
        .post(root + "/captures/:id/erase", guard.changing(capture::erase))
        .post(root + "/replays/:id/cancel", guard.changing(replays::cancel));
  }
}
