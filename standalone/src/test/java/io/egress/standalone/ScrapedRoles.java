package io.egress.standalone;

import static org.awaitility.Awaitility.await;

import io.egress.api.ApiApp;
import io.egress.dispatcher.DispatcherApp;
import io.egress.embedded.SharedBackends;
import io.egress.endpoint.SecretBox;
import io.egress.metrics.MeasuredVertx;
import io.egress.settings.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Both roles as two processes would run them, each with its own page of metrics. */
final class ScrapedRoles implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final Duration KNOWN_AFTER = Duration.ofSeconds(30);

  private final Vertx apiVertx = MeasuredVertx.create();
  private final Vertx dispatcherVertx = MeasuredVertx.create();
  private final ApiApp api;
  private final DispatcherApp dispatcher;

  ScrapedRoles() {
    Settings settings = Settings.from(environment());
    api = done(ApiApp.start(apiVertx, settings));
    dispatcher = done(DispatcherApp.start(dispatcherVertx, settings));
    await().atMost(KNOWN_AFTER).until(() -> !(api() + dispatcher()).contains(" NaN"));
  }

  String api() {
    return scrape(apiPort());
  }

  String dispatcher() {
    return scrape(dispatcherPort());
  }

  int apiPort() {
    return api.internalPort();
  }

  int dispatcherPort() {
    return dispatcher.internalPort().orElseThrow();
  }

  @Override
  public void close() {
    done(dispatcher.close());
    done(api.close());
    done(dispatcherVertx.close());
    done(apiVertx.close());
  }

  private static Map<String, String> environment() {
    SharedBackends backends = SharedBackends.get();
    Map<String, String> environment = new HashMap<>();
    environment.put("EGRESS_DATABASE_URL", backends.freshDatabase());
    environment.put("EGRESS_KAFKA_BOOTSTRAP", backends.kafkaBootstrap());
    environment.put("EGRESS_TOPIC_PREFIX", backends.freshPrefix());
    environment.put("EGRESS_TOPIC_PARTITIONS", "2");
    environment.put("EGRESS_INTERNAL_TOKEN", "test-token-of-the-internal-api");
    environment.put("EGRESS_SECRET_KEY", SecretBox.newKey());
    environment.put("EGRESS_PUBLIC_HOST", "127.0.0.1");
    environment.put("EGRESS_PUBLIC_PORT", "0");
    environment.put("EGRESS_INTERNAL_PORT", "0");
    return environment;
  }

  private static String scrape(int port) {
    try {
      return HTTP.send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build(),
              BodyHandlers.ofString())
          .body();
    } catch (IOException | InterruptedException failure) {
      throw new IllegalStateException(failure);
    }
  }

  private static <T> T done(Future<T> future) {
    try {
      return future.await(60, TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError("nothing within a minute", late);
    }
  }
}
