package io.egress.standalone.receiver;

import io.egress.standalone.receiver.WebhookVerifier.Verdict;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** An HTTPS server that verifies the webhooks it receives. */
public final class WebhookReceiver {
  /**
   * A request received by an endpoint.
   *
   * @param attempt its number among the attempts of its delivery; 0 if the webhook is invalid
   * @param accepted whether it is the first successful attempt of its delivery
   */
  public record Arrival(
      String endpoint, Verdict verdict, int attempt, int status, boolean accepted) {
    /** Accepted after a failed attempt of the same delivery. */
    public boolean recovered() {
      return accepted && attempt > 1;
    }
  }

  /** How an endpoint answers valid webhooks. */
  @FunctionalInterface
  public interface Answering {
    /**
     * Returns the status. Both count from 1: the endpoint's deliveries, and the attempts of this
     * one.
     */
    int status(int delivery, int attempt);

    static Answering healthy() {
      return (_, _) -> 200;
    }

    /** Answers 503 to the first attempts of the first deliveries. */
    static Answering failingAtFirst(int deliveries, int attempts) {
      return (delivery, attempt) -> delivery <= deliveries && attempt <= attempts ? 503 : 200;
    }
  }

  private static final String HOST = "127.0.0.1";
  private static final String PATH = "/webhooks/";
  private static final long BODY_BYTES_MAX = 16L << 20;

  private final Map<String, ReceivingEndpoint> endpoints = new ConcurrentHashMap<>();
  private final Consumer<Arrival> arrivals;
  private final HttpServer server;

  private WebhookReceiver(Vertx vertx, LocalCertificate certificate, Consumer<Arrival> arrivals) {
    this.arrivals = arrivals;
    Router router = Router.router(vertx);
    router.post(PATH + ":name").handler(BodyHandler.create(false).setBodyLimit(BODY_BYTES_MAX));
    router.post(PATH + ":name").handler(this::receive);
    this.server =
        vertx
            .createHttpServer(
                new HttpServerOptions()
                    .setHost(HOST)
                    .setPort(0)
                    .setSsl(true)
                    .setKeyCertOptions(certificate.keyCertOptions()))
            .requestHandler(router);
  }

  /**
   * Listens on a free port until {@code vertx} is closed. {@code arrivals} is called on the
   * receiver's event loop.
   */
  public static Future<WebhookReceiver> start(
      Vertx vertx, LocalCertificate certificate, Consumer<Arrival> arrivals) {
    WebhookReceiver receiver = new WebhookReceiver(vertx, certificate, arrivals);
    return receiver.server.listen().map(_ -> receiver);
  }

  /** The URL of an endpoint with this name, which answers once {@link #add} was called. */
  public String url(String name) {
    return "https://" + HOST + ":" + server.actualPort() + PATH + name;
  }

  public void add(String name, String secret, Answering answering) {
    WebhookVerifier verifier = new WebhookVerifier(secret, InstantSource.system());
    endpoints.put(name, new ReceivingEndpoint(name, verifier, answering));
  }

  private void receive(RoutingContext ctx) {
    ReceivingEndpoint endpoint = endpoints.get(ctx.pathParam("name"));
    if (endpoint == null) {
      ctx.response().setStatusCode(404).end();
      return;
    }
    Buffer body = ctx.body().buffer();
    Arrival arrival =
        endpoint.receive(ctx.request().headers(), body == null ? Buffer.buffer() : body);
    ctx.response().setStatusCode(arrival.status()).end();
    arrivals.accept(arrival);
  }
}
