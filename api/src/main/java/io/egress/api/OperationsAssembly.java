package io.egress.api;

import io.egress.api.admin.Operations;
import io.egress.api.admin.audit.AuditEntries;
import io.egress.api.admin.audit.AuditExport;
import io.egress.api.admin.captures.CaptureList;
import io.egress.api.admin.captures.Captures;
import io.egress.api.admin.copies.Copies;
import io.egress.api.admin.deliveries.DeliveryReads;
import io.egress.api.admin.deliveries.EndpointHealths;
import io.egress.api.admin.deliveries.EndpointLatencies;
import io.egress.api.admin.deliveries.PendingDeliveries;
import io.egress.api.admin.deliveries.RecentOutcomes;
import io.egress.api.admin.deliveries.SentBodies;
import io.egress.api.admin.deliveries.SentPages;
import io.egress.api.admin.deliveries.UndeliveredTotals;
import io.egress.api.admin.deliveries.Verifier;
import io.egress.api.admin.endpoints.Cursors;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.admin.endpoints.TestSend;
import io.egress.api.admin.erasures.CaptureErasure;
import io.egress.api.admin.keys.ApiKeys;
import io.egress.api.admin.keys.Readers;
import io.egress.api.admin.overview.WorkspaceList;
import io.egress.api.admin.replays.Replays;
import io.egress.api.admin.workspaces.RetentionPolicy;
import io.egress.api.call.HeavyWork;
import io.egress.api.call.Turns;
import io.egress.api.intake.EndpointBody;
import io.egress.platform.lifecycle.Closing;
import io.egress.settings.Settings;
import io.egress.transcript.document.DocumentStore;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.deliverylog.LoggedDeliveries;
import io.egress.webhook.send.PushSettings;
import io.egress.webhook.send.WebhookSender;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.sqlclient.Pool;
import java.time.Clock;
import java.time.Duration;

/** Composes the operations of administration. */
final class OperationsAssembly {
  /** Verifications that read Kafka at a time, each for ten seconds at most. */
  private static final int VERIFYING_THREADS = 4;

  private final Vertx vertx;
  private final Settings settings;
  private final Clock clock;
  private final Closing closing;

  OperationsAssembly(Vertx vertx, Settings settings, Clock clock, Closing closing) {
    this.vertx = vertx;
    this.settings = settings;
    this.clock = clock;
    this.closing = closing;
  }

  /**
   * {@code measuring} is a pool for which nothing waits but metrics, {@code pool} the one of
   * administration.
   */
  Operations over(Pool pool, Pool measuring, DocumentStore documents, WebhookSender sender) {
    PushSettings push = settings.push();
    Duration retention = settings.api().retention();
    LogDays days = new LogDays(clock, settings.dispatcher().logRetention());
    AuditEntries audit = new AuditEntries(pool);
    HeavyWork heavy = new HeavyWork();
    Turns turns = new Turns();
    Captures captures = new Captures(pool, documents);
    DeliveryReads deliveries = new DeliveryReads(pool, captures, days, turns);
    EndpointHealths healths = new EndpointHealths(pool, days, clock);
    LoggedDeliveries log = new LoggedDeliveries(pool, days);
    PendingDeliveries pending = new PendingDeliveries(pool, log);
    return new Operations(
        new Operations.OfWorkspaces(
            new WorkspaceList(pool, healths, pending, retention),
            new RetentionPolicy(pool, retention),
            new ApiKeys(pool),
            new Readers(pool),
            audit,
            new AuditExport(audit, heavy)),
        new Operations.OfEndpoints(
            new Endpoints(pool, push.secretBox()),
            new Cursors(pool),
            new EndpointBody(push.allowHttpEndpoints(), push.addressPolicy()),
            new TestSend(pool, sender, push, settings.dispatcher().attemptTimeout(), clock),
            healths,
            pending,
            new RecentOutcomes(pool),
            new EndpointLatencies(pool)),
        new Operations.OfDeliveries(
            deliveries,
            new SentBodies(pool, deliveries, documents, push),
            new SentPages(pool),
            new Replays(pool),
            new UndeliveredTotals(pool),
            verifier(measuring, days, heavy)),
        new Operations.OfCaptures(
            captures,
            new CaptureList(pool, turns),
            new Copies(pool, log),
            new CaptureErasure(pool)));
  }

  private Verifier verifier(Pool measuring, LogDays days, HeavyWork heavy) {
    WorkerExecutor executor = vertx.createSharedWorkerExecutor("verifying", VERIFYING_THREADS);
    closing.push("the verifications", executor::close);
    return new Verifier(executor, measuring, days, clock, settings.kafka(), heavy);
  }
}
