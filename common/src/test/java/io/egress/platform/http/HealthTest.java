package io.egress.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.platform.http.Health.Check;
import io.egress.platform.metrics.EventLoops;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HealthTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private record Answer(int status, JsonObject body) {
    String check(String name) {
      return body.getJsonObject("checks").getString(name);
    }
  }

  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();
  private final ContextInternal context = vertx.createEventLoopContext();
  private final Health health = Health.of(new EventLoops(vertx));

  @AfterEach
  void close() throws Exception {
    vertx.close().await(10, TimeUnit.SECONDS);
  }

  @Test
  void isReadyWhileOnlyOptionalPartsAreDown() throws Exception {
    health.add(Check.required("database", () -> true));
    health.add(Check.optional("kafka", () -> false));

    Answer ready = ask(health, "/health/ready");

    assertThat(ready.status()).isEqualTo(200);
    assertThat(ready.body().getString("status")).isEqualTo("up");
    assertThat(ready.check("database")).isEqualTo("up");
    assertThat(ready.check("kafka")).isEqualTo("away");
  }

  @Test
  void isNotReadyWhenARequiredPartFails() throws Exception {
    health.add(Check.required("database", () -> false));
    health.add(new Check("relay", () -> Health.State.DOWN));
    health.add(Check.required("kafka", () -> true));

    Answer ready = ask(health, "/health/ready");

    assertThat(ready.status()).isEqualTo(503);
    assertThat(ready.body().getString("status")).isEqualTo("down");
    assertThat(List.of("database", "relay"))
        .allSatisfy(name -> assertThat(ready.check(name)).isEqualTo("down"));
    assertThat(ready.check("kafka")).isEqualTo("up");
  }

  @Test
  void reportsTheWorseOfTwoPartsOfOneName() throws Exception {
    Health api = health.part();
    api.add(Check.optional("kafka", () -> false));
    Health dispatcher = health.part();
    dispatcher.add(Check.required("kafka", () -> false));

    assertThat(ask(health, "/health/ready").check("kafka")).isEqualTo("down");
    assertThat(ask(api, "/health/ready").status()).isEqualTo(200);
    assertThat(ask(dispatcher, "/health/ready").status()).isEqualTo(503);
  }

  @Test
  void isLiveWhateverIsDown() throws Exception {
    health.add(Check.required("database", () -> false));

    await().until(() -> ask(health, "/health/live").status() == 200);
  }

  @Test
  void isNotLiveWhileAnEventLoopIsBlocked() throws Exception {
    CountDownLatch wedged = new CountDownLatch(1);
    List<EventExecutor> others = new ArrayList<>();
    vertx.nettyEventLoopGroup().forEach(others::add);
    others.remove(context.nettyEventLoop());
    others
        .get(0)
        .execute(() -> {
          try {
            wedged.await();
          } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
          }
        });

    Answer live = ask(health, "/health/live");
    wedged.countDown();

    assertThat(live.status()).isEqualTo(503);
    await().until(() -> ask(health, "/health/live").status() == 200);
  }

  private Answer ask(Health asked, String path) throws Exception {
    Promise<HttpServer> listening = Promise.promise();
    context.runOnContext(_ -> {
      Router router = HttpExchange.router(vertx, new RequestLog(false), RequestLifetime.ANSWER_MAX);
      asked.routes().mount(router);
      vertx
          .createHttpServer()
          .connectionHandler(connection -> ClientConnection.watch(connection, new HashSet<>()))
          .requestHandler(router)
          .listen(0)
          .onComplete(listening);
    });
    HttpServer server = listening.future().await(10, TimeUnit.SECONDS);
    String base = "http://127.0.0.1:" + server.actualPort();
    send(base + "/what-is-slow-at-first");
    HttpResponse<String> answer = send(base + path);
    return new Answer(answer.statusCode(), new JsonObject(answer.body()));
  }

  private static HttpResponse<String> send(String url) throws Exception {
    return HTTP.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
  }
}
