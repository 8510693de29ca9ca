package io.egress.webhook.send;

import static io.egress.webhook.send.SenderHarness.await;
import static io.egress.webhook.send.SenderHarness.envelope;
import static io.egress.webhook.send.SenderHarness.url;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.webhook.send.Outcome.Delivered;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.NetSocket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Receivers that count the connections and requests they get between them. */
final class CountingReceivers {
  static final String OK = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

  final Set<Object> connections = Collections.synchronizedSet(new HashSet<>());
  final AtomicInteger requests = new AtomicInteger();
  private final SenderHarness harness;

  CountingReceivers(SenderHarness harness) {
    this.harness = harness;
  }

  int https(boolean http2, Handler<HttpServerRequest> handler) {
    return https(new HttpServerOptions().setUseAlpn(http2), handler);
  }

  int https(HttpServerOptions options, Handler<HttpServerRequest> handler) {
    return harness
        .httpsServer(
            options,
            request -> {
              connections.add(request.connection());
              requests.incrementAndGet();
              request.response().exceptionHandler(_ -> {});
              handler.handle(request);
            })
        .actualPort();
  }

  interface Script {
    void handle(NetSocket socket, int nthRequest);
  }

  /** Small requests arrive in one piece, or in a head and a body; the body ends in two braces. */
  int raw(Script script) {
    return harness.tlsReceiver(socket -> follow(script, socket));
  }

  int plain(Script script) {
    return harness.plainReceiver(socket -> follow(script, socket));
  }

  private void follow(Script script, NetSocket socket) {
    connections.add(socket);
    socket.handler(bytes -> {
      if (bytes.toString().endsWith("}}")) {
        script.handle(socket, requests.incrementAndGet());
      }
    });
  }

  List<Sending> startMany(int count, int port) {
    return IntStream.range(0, count)
        .mapToObj(_ -> harness.start(url(port), envelope("x")))
        .collect(Collectors.toCollection(ArrayList::new));
  }

  static void assertAllDelivered(List<Sending> sendings) {
    for (Sending sending : sendings) {
      assertThat(await(sending.outcome())).isInstanceOf(Delivered.class);
    }
  }

  static void answer(BlockingQueue<HttpServerRequest> held) {
    await().until(() -> !held.isEmpty());
    held.remove().response().end();
  }
}
