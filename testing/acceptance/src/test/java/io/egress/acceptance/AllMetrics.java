package io.egress.acceptance;

import static io.egress.acceptance.BothRoles.done;
import static org.awaitility.Awaitility.await;

import io.egress.platform.database.Database;
import io.egress.settings.Settings;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.util.Map;
import java.util.UUID;

/** Roles whose pages of metrics have every metric, and a value for each. */
final class AllMetrics {
  private AllMetrics() {}

  /** Reconciliation at its usual pace, because its metrics are watched. */
  static BothRoles start() {
    Map<String, String> environment = BothRoles.environment();
    environment.remove("reconcile-after");
    addFailingEndpoint(environment);
    BothRoles roles = new BothRoles(environment);
    await().until(() -> !(roles.metricsOfApi() + roles.metricsOfDispatcher()).contains(" NaN"));
    return roles;
  }

  /** Metrics of failing endpoints have no lines without one. */
  private static void addFailingEndpoint(Map<String, String> environment) {
    Vertx vertx = Vertx.vertx();
    Pool pool = Database.pool(vertx, Settings.from(environment).database(), "test", 1);
    UUID workspace = UUID.randomUUID();
    done(pool.query("insert into workspaces (id) values ('" + workspace + "')").execute());
    done(
        pool.query(
                """
                insert into endpoints (id, workspace_id, spec, secret, created_position, full_history, failing_since)
                values (gen_random_uuid(), '%s', '{"url":"https://receiver.invalid/"}', '', 0, false, now() - interval '1 hour')
                """
                    .formatted(workspace))
            .execute());
    done(pool.close());
    done(vertx.close());
  }
}
