package io.egress.standalone.demo;

import io.egress.cli.InternalApi;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.standalone.receiver.LocalCertificate;
import io.egress.standalone.receiver.WebhookReceiver;
import io.egress.standalone.receiver.WebhookReceiver.Answering;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.UUID;

/**
 * The demo's receiver, with two endpoints. It is started before the service and closed after it, so
 * that attempts in progress at the end are answered.
 */
final class DemoReceiver {
  static final int ENDPOINTS = 2;

  private static final int DELIVERIES_REFUSED = 3;
  private static final int ATTEMPTS_REFUSED = 2;
  private static final String RETRY_SCHEDULE = "2s,5s,15s,1m,5m,15m";

  private final LocalCertificate certificate;
  private final WebhookReceiver receiver;

  private DemoReceiver(LocalCertificate certificate, WebhookReceiver receiver) {
    this.certificate = certificate;
    this.receiver = receiver;
  }

  static DemoReceiver start(RunningProcess process, Journal journal) {
    LocalCertificate certificate = LocalCertificate.make();
    process.push("the certificate", certificate);
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    process.pushAsync("the receiver", vertx::close);
    return new DemoReceiver(
        certificate,
        RunningProcess.await(WebhookReceiver.start(vertx, certificate, journal::arrived)));
  }

  /** Settings that let the service reach a receiver on this machine, with short retries. */
  Map<String, String> settings() {
    return Map.of(
        "EGRESS_ALLOW_ENDPOINT_NETWORKS",
        "127.0.0.0/8,::1/128",
        "EGRESS_EXTRA_TRUST",
        certificate.pem().toString(),
        "EGRESS_RETRY_SCHEDULE",
        RETRY_SCHEDULE);
  }

  void createEndpoints(InternalApi api, UUID workspace) {
    create(api, workspace, "healthy", Answering.healthy());
    create(api, workspace, "flaky", Answering.failingAtFirst(DELIVERIES_REFUSED, ATTEMPTS_REFUSED));
  }

  static String explanation() {
    return """
    Two endpoints are pushed to over HTTPS and verify each webhook. "healthy" answers 200, "flaky"
    answers the first %d captures %d times each with 503 and then recovers. So that there is something
    to see, retries follow after %s here; the service's own schedule is
    1m,5m,15m,1h,6h,24h.
    """
        .formatted(DELIVERIES_REFUSED, ATTEMPTS_REFUSED, RETRY_SCHEDULE);
  }

  private void create(InternalApi api, UUID workspace, String name, Answering answering) {
    JsonObject endpoint = new JsonObject().put("url", receiver.url(name)).put("description", name);
    JsonObject created = api.call("POST", "/workspaces/" + workspace + "/endpoints", endpoint);
    receiver.add(name, created.getString("secret"), answering);
  }
}
