package io.egress.api;

import static io.egress.platform.http.RequestLifetime.within;

import io.egress.api.admin.Operations;
import io.egress.api.admin.audit.AuditCalls;
import io.egress.api.admin.captures.CaptureListCalls;
import io.egress.api.admin.copies.CopyCalls;
import io.egress.api.admin.database.DatabaseCalls;
import io.egress.api.admin.deliveries.CaptureCalls;
import io.egress.api.admin.deliveries.DeliveryCalls;
import io.egress.api.admin.deliveries.PageCalls;
import io.egress.api.admin.deliveries.VerificationCalls;
import io.egress.api.admin.endpoints.EndpointCalls;
import io.egress.api.admin.endpoints.PublicKeys;
import io.egress.api.admin.erasures.ErasureCalls;
import io.egress.api.admin.erasures.MemberErasure;
import io.egress.api.admin.keys.KeyCalls;
import io.egress.api.admin.overview.EndpointListCalls;
import io.egress.api.admin.overview.WorkspaceListCalls;
import io.egress.api.admin.queue.QueueCalls;
import io.egress.api.admin.replays.ReplayCalls;
import io.egress.api.admin.secrets.SecretKeyCalls;
import io.egress.api.admin.workspaces.WorkspaceCalls;
import io.egress.api.admin.workspaces.Workspaces;
import io.egress.api.call.Answer;
import io.egress.api.call.Calls;
import io.egress.api.call.Operation;
import io.egress.api.hook.Hook;
import io.egress.api.hook.HookHandler;
import io.egress.api.portal.access.PortalAccess;
import io.egress.api.portal.access.PortalSessions;
import io.egress.api.pull.PullHandler;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.OpenApi;
import io.egress.platform.http.Refusal;
import io.egress.platform.http.Routes;
import io.egress.settings.Settings;
import io.egress.transcript.document.DocumentStore;
import io.egress.webhook.send.PushSettings;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.time.Duration;

/** The routes of both listeners. The OpenAPI descriptions list the same ones. */
final class ApiRoutes {
  static final String INTERNAL_DESCRIPTION = "/io/egress/api/internal-openapi.json";

  private static final String INTERNAL = "/internal/v1";
  private static final String WORKSPACE = INTERNAL + "/workspaces/:workspace";
  private static final String KEYS = WORKSPACE + "/api-keys";
  private static final String ENDPOINTS = WORKSPACE + "/endpoints";
  private static final String ENDPOINT = ENDPOINTS + "/:id";
  private static final String DELIVERIES = WORKSPACE + "/deliveries";

  /** Reads up to 50,000 positions, and what Kafka holds. */
  private static final Duration VERIFICATION_MAX = Duration.ofMinutes(1);

  /** Encrypts every signing secret. */
  private static final Duration RESEAL_MAX = Duration.ofMinutes(1);

  /** Unlinks the member from every capture. */
  private static final Duration MEMBER_ERASURE_MAX = Duration.ofMinutes(1);

  private static final String REPLAYS = WORKSPACE + "/replays";

  private ApiRoutes() {}

  /** The description of a listener is served whatever its backends do. */
  static Routes externalDescription() {
    return new Routes().get("/api/v1/openapi.json", OpenApi.of("/io/egress/api/openapi.json"));
  }

  static Routes external(PullHandler pull, PublicKeys keys) {
    return new Routes()
        .get("/.well-known/endpoints/:id/jwks.json", keys::show)
        .get("/api/v1/captures", pull::list)
        .get("/api/v1/captures/:id", pull::one)
        .get("/api/v1/changes", pull::changes)
        .get("/api/v1/inventory", pull::inventory);
  }

  /** Of a path of the internal listener on the public one. */
  static void notHere(RoutingContext ctx) {
    HttpExchange.fail(
        ctx,
        new Refusal(
            404,
            "this is the public listener; the internal API and pages are on the internal one"));
  }

  static Routes internalDescription() {
    return new Routes().get(INTERNAL + "/openapi.json", OpenApi.of(INTERNAL_DESCRIPTION));
  }

  /** It also answers while the database takes no writes. */
  static Routes diagnosis(Calls calls, DatabaseCalls database) {
    return new Routes().get(INTERNAL + "/database", calls.answer(database::show));
  }

  /** The calls that write captures, on the event loop. */
  static Routes hook(Hook hook) {
    HookHandler hooks = hook.calls();
    return new Routes()
        .put(INTERNAL + "/captures/:id", hooks::putCapture)
        .post(INTERNAL + "/captures", hook.imports()::importLines)
        .patch(INTERNAL + "/captures/:id/participants/:label", hooks::patchParticipant)
        .put(INTERNAL + "/members/:id", hooks::putMember)
        .put(INTERNAL + "/devices/:id", hooks::putDevice);
  }

  /** The calls of administration. */
  static final class Administration {
    private final KeyCalls keys;
    private final EndpointCalls endpoints;
    private final Duration testTimeout;
    private final DeliveryCalls deliveries;
    private final VerificationCalls verification;
    private final PageCalls pages;
    private final ReplayCalls replays;
    private final SecretKeyCalls secretKeys;
    private final AuditCalls audit;
    private final QueueCalls queue;
    private final ErasureCalls erasures;
    private final WorkspaceCalls workspace;
    private final WorkspaceListCalls workspaces;
    private final EndpointListCalls endpointList;
    private final CaptureCalls captures;
    private final CaptureListCalls captureList;
    private final CopyCalls copies;
    private final PortalAccess portal;
    private final PortalSessions sessions;
    private final Pool database;

    /** {@code erase} starts the erasure of what has to go. */
    Administration(
        Operations operations,
        PortalAccess portal,
        Pool database,
        DocumentStore documents,
        Settings settings,
        Runnable erase) {
      PushSettings push = settings.push();
      Operations.OfWorkspaces ofWorkspaces = operations.workspaces();
      Operations.OfEndpoints ofEndpoints = operations.endpoints();
      Operations.OfDeliveries ofDeliveries = operations.deliveries();
      Operations.OfCaptures ofCaptures = operations.captures();
      this.keys =
          new KeyCalls(ofWorkspaces.keys(), ofWorkspaces.readers(), database, push.secretBox());
      this.endpoints =
          new EndpointCalls(
              ofEndpoints.endpoints(), ofEndpoints.cursors(), ofEndpoints.test(), database, push);
      this.testTimeout = ofEndpoints.test().timeout();
      this.deliveries =
          new DeliveryCalls(
              ofCaptures.captures(),
              ofDeliveries.reads(),
              ofDeliveries.bodies(),
              ofDeliveries.replays());
      this.verification = new VerificationCalls(ofEndpoints.endpoints(), ofDeliveries.verifier());
      this.pages =
          new PageCalls(ofEndpoints.endpoints(), ofDeliveries.pages(), ofDeliveries.reads());
      this.replays = new ReplayCalls(ofDeliveries.replays());
      this.secretKeys = new SecretKeyCalls(database, push.secretBox());
      this.audit = new AuditCalls(ofWorkspaces.audit(), ofWorkspaces.auditExport());
      this.queue = new QueueCalls(database);
      this.erasures =
          new ErasureCalls(ofCaptures.erasure(), new MemberErasure(database, documents));
      this.workspace = new WorkspaceCalls(database, settings.api().retention(), erase);
      this.workspaces = new WorkspaceListCalls(ofWorkspaces.list());
      this.endpointList = new EndpointListCalls(ofEndpoints.endpoints(), ofEndpoints.healths());
      this.captures =
          new CaptureCalls(ofCaptures.captures(), ofEndpoints.endpoints(), ofDeliveries.reads());
      this.captureList = new CaptureListCalls(ofCaptures.list());
      this.copies = new CopyCalls(ofCaptures.copies());
      this.portal = portal;
      this.sessions = new PortalSessions(database);
      this.database = database;
    }

    Routes routes(Calls calls) {
      return ofAllWorkspaces(calls).and(ofWorkspace(calls)).and(ofEndpoints(calls));
    }

    private Routes ofAllWorkspaces(Calls calls) {
      return new Routes()
          .get(INTERNAL + "/captures/:id", calls.answer(captures::find))
          .get(INTERNAL + "/captures/:id/copies", calls.answer(copies::show))
          .delete(INTERNAL + "/captures/:id", calls.withBody(erasures::eraseCapture))
          .get(INTERNAL + "/workspaces", calls.answer(workspaces::list))
          .get(INTERNAL + "/secret-keys", calls.answer(secretKeys::list))
          .post(
              INTERNAL + "/secret-keys/reseal",
              within(RESEAL_MAX, calls.answer(secretKeys::reseal)))
          .get(INTERNAL + "/queue", calls.answer(queue::show))
          .post(INTERNAL + "/queue/rebuild", calls.answer(queue::rebuild))
          .post(INTERNAL + "/portal-links", calls.withBody(portal::createOperatorLink))
          .get(INTERNAL + "/portal-sessions", calls.answer(sessions::listOfOperators))
          .delete(INTERNAL + "/portal-sessions", calls.answer(sessions::endOfOperators))
          .get(INTERNAL + "/audit", calls.answer(audit::listAll));
    }

    /** A list of a workspace that nobody has named would be empty; that is an error. */
    private Handler<RoutingContext> list(Calls calls, Operation operation) {
      return calls.answer(call -> {
        Answer list = operation.answer(call);
        Workspaces.require(database, call.workspaceId());
        return list;
      });
    }

    private Routes ofWorkspace(Calls calls) {
      return new Routes()
          .get(WORKSPACE, calls.answer(workspace::show))
          .patch(WORKSPACE, calls.withBody(workspace::change))
          .delete(WORKSPACE, calls.answer(workspace::end))
          .delete(
              WORKSPACE + "/members/:id",
              within(MEMBER_ERASURE_MAX, calls.answer(erasures::eraseMember)))
          .post(WORKSPACE + "/portal-links", calls.withBody(portal::createLink))
          .get(WORKSPACE + "/portal-sessions", calls.answer(sessions::list))
          .delete(WORKSPACE + "/portal-sessions", calls.answer(sessions::end))
          .get(WORKSPACE + "/audit", calls.answer(audit::list))
          .post(KEYS, calls.withBody(keys::mint))
          .get(KEYS, list(calls, keys::list))
          .get(WORKSPACE + "/readers", list(calls, keys::readers))
          .patch(KEYS + "/:id", calls.withBody(keys::change))
          .delete(KEYS + "/:id", calls.answer(keys::delete))
          .get(WORKSPACE + "/captures", list(calls, captureList::list))
          .get(DELIVERIES, list(calls, deliveries::list))
          .get(DELIVERIES + "/:id", calls.answer(deliveries::show))
          .get(WORKSPACE + "/pages/:id", calls.answer(pages::show))
          .post(DELIVERIES + "/:id/redeliver", calls.answer(deliveries::redeliver))
          .post(REPLAYS, calls.withBody(replays::startForAll))
          .get(REPLAYS + "/:id", calls.answer(replays::show))
          .delete(REPLAYS + "/:id", calls.answer(replays::cancel));
    }

    private Routes ofEndpoints(Calls calls) {
      return new Routes()
          .post(ENDPOINTS, calls.withBody(endpoints::create))
          .get(ENDPOINTS, list(calls, endpointList::list))
          .get(ENDPOINT, calls.answer(endpoints::show))
          .patch(ENDPOINT, calls.withBody(endpoints::change))
          .delete(ENDPOINT, calls.answer(endpoints::delete))
          .post(ENDPOINT + "/clone", calls.withBody(endpoints::clone))
          .post(ENDPOINT + "/skip", calls.withBody(endpoints::skip))
          .post(ENDPOINT + "/seek", calls.withBody(endpoints::seek))
          .get(ENDPOINT + "/pages", calls.answer(pages::list))
          .post(ENDPOINT + "/rotate-secret", calls.withBody(endpoints::rotateSecret))
          .post(ENDPOINT + "/test", within(testTimeout, calls.withBody(endpoints::test)))
          .delete(ENDPOINT + "/previous-secret", calls.answer(endpoints::endOverlap))
          .get(ENDPOINT + "/deliveries", calls.answer(deliveries::listOf))
          .get(
              ENDPOINT + "/verification",
              within(VERIFICATION_MAX, calls.answer(verification::verify)))
          .post(ENDPOINT + "/replays", calls.withBody(replays::start))
          .get(ENDPOINT + "/replays", calls.answer(replays::list));
    }
  }
}
