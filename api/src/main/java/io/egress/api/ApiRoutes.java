package io.egress.api;

import static io.egress.api.admin.workspace.WorkspaceCalls.onAll;
import static io.egress.api.admin.workspace.WorkspaceCalls.onOne;
import static io.egress.api.admin.workspace.WorkspaceCalls.withBody;
import static io.egress.platform.http.RequestLifetime.within;

import io.egress.api.admin.audit.AuditHandler;
import io.egress.api.admin.deliveries.DeliveriesHandler;
import io.egress.api.admin.deliveries.VerificationHandler;
import io.egress.api.admin.endpoints.EndpointsHandler;
import io.egress.api.admin.erasures.ErasuresHandler;
import io.egress.api.admin.keys.KeysHandler;
import io.egress.api.admin.operator.CapturesHandler;
import io.egress.api.admin.operator.DatabaseHandler;
import io.egress.api.admin.operator.WorkspacesHandler;
import io.egress.api.admin.queue.QueueHandler;
import io.egress.api.admin.replays.ReplaysHandler;
import io.egress.api.admin.secrets.SecretKeysHandler;
import io.egress.api.admin.workspace.WorkspaceHandler;
import io.egress.api.hook.Hook;
import io.egress.api.hook.HookHandler;
import io.egress.api.portal.access.PortalAccess;
import io.egress.api.pull.ErasureFeed;
import io.egress.api.pull.PullHandler;
import io.egress.platform.http.OpenApi;
import io.egress.platform.http.Routes;
import java.time.Duration;

/** The routes of both listeners. The OpenAPI descriptions list the same ones. */
final class ApiRoutes {
  private static final String INTERNAL = "/internal/v1";
  private static final String WORKSPACE = INTERNAL + "/workspaces/:workspace";
  private static final String KEYS = WORKSPACE + "/api-keys";
  private static final String ENDPOINTS = WORKSPACE + "/endpoints";
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

  static Routes external(PullHandler pull, ErasureFeed erasures) {
    return new Routes()
        .get("/api/v1/captures", pull::list)
        .get("/api/v1/captures/:id", pull::one)
        .get("/api/v1/erasures", erasures::list);
  }

  static Routes internalDescription() {
    return new Routes()
        .get(INTERNAL + "/openapi.json", OpenApi.of("/io/egress/api/internal-openapi.json"));
  }

  /** It also answers while the database takes no writes. */
  static Routes diagnosis(DatabaseHandler database) {
    return new Routes().get(INTERNAL + "/database", database::show);
  }

  static Routes internal(
      Hook hook,
      KeysHandler keys,
      EndpointsHandler endpoints,
      DeliveriesHandler deliveries,
      VerificationHandler verification,
      ReplaysHandler replays,
      SecretKeysHandler secretKeys,
      AuditHandler audit,
      QueueHandler queue,
      ErasuresHandler erasures,
      WorkspaceHandler workspace,
      WorkspacesHandler workspaces,
      CapturesHandler captures,
      PortalAccess portal) {
    HookHandler hooks = hook.calls();
    return new Routes()
        .put(INTERNAL + "/captures/:id", hooks::putCapture)
        .delete(INTERNAL + "/captures/:id", withBody(erasures::eraseCapture))
        .delete(
            WORKSPACE + "/members/:id",
            within(MEMBER_ERASURE_MAX, onOne("member", erasures::eraseMember)))
        .get(INTERNAL + "/captures/:id", captures::find)
        .get(INTERNAL + "/workspaces", workspaces::list)
        .post(INTERNAL + "/captures", hook.imports()::importLines)
        .patch(INTERNAL + "/captures/:id/participants/:label", hooks::patchParticipant)
        .put(INTERNAL + "/members/:id", hooks::putMember)
        .put(INTERNAL + "/devices/:id", hooks::putDevice)
        .get(WORKSPACE, onAll(workspace::show))
        .patch(WORKSPACE, withBody(onAll(workspace::change)))
        .delete(WORKSPACE, onAll(workspace::end))
        .get(INTERNAL + "/secret-keys", secretKeys::list)
        .post(INTERNAL + "/secret-keys/reseal", within(RESEAL_MAX, secretKeys::reseal))
        .get(INTERNAL + "/queue", queue::show)
        .post(INTERNAL + "/queue/rebuild", queue::rebuild)
        .post(INTERNAL + "/portal-links", withBody(portal::createOperatorLink))
        .post(WORKSPACE + "/portal-links", withBody(onAll(portal::createLink)))
        .get(INTERNAL + "/audit", audit::listAll)
        .get(WORKSPACE + "/audit", onAll(audit::list))
        .post(KEYS, withBody(onAll(keys::mint)))
        .get(KEYS, onAll(keys::list))
        .patch(KEYS + "/:id", withBody(onOne("key", keys::change)))
        .delete(KEYS + "/:id", onOne("key", keys::delete))
        .post(ENDPOINTS, withBody(onAll(endpoints::create)))
        .get(ENDPOINTS, onAll(endpoints::list))
        .get(ENDPOINTS + "/:id", onOne("endpoint", endpoints::show))
        .patch(ENDPOINTS + "/:id", withBody(onOne("endpoint", endpoints::change)))
        .delete(ENDPOINTS + "/:id", onOne("endpoint", endpoints::delete))
        .post(
            ENDPOINTS + "/:id/rotate-secret", withBody(onOne("endpoint", endpoints::rotateSecret)))
        .post(ENDPOINTS + "/:id/test", withBody(onOne("endpoint", endpoints::test)))
        .delete(ENDPOINTS + "/:id/previous-secret", onOne("endpoint", endpoints::endOverlap))
        .get(ENDPOINTS + "/:id/deliveries", onOne("endpoint", deliveries::listOf))
        .get(
            ENDPOINTS + "/:id/verification",
            within(VERIFICATION_MAX, onOne("endpoint", verification::verify)))
        .get(DELIVERIES, onAll(deliveries::list))
        .get(DELIVERIES + "/:id", onOne("delivery", deliveries::show))
        .post(DELIVERIES + "/:id/redeliver", onOne("delivery", deliveries::redeliver))
        .post(ENDPOINTS + "/:id/replays", withBody(onOne("endpoint", replays::start)))
        .get(ENDPOINTS + "/:id/replays", onOne("endpoint", replays::list))
        .get(REPLAYS + "/:id", onOne("replay", replays::show))
        .delete(REPLAYS + "/:id", onOne("replay", replays::cancel));
  }
}
