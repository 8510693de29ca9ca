package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Receivers.Behaviour;
import io.egress.testing.ClosedPort;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.NetSocket;
import io.vertx.sqlclient.Row;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Every way in which an attempt can fail, and its record in the delivery log. */
class OutcomeTest {
  private static final int DRIP_MILLIS = 100;

  private final Fleet fleet =
      new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", "1h", "EGRESS_ATTEMPT_TIMEOUT", "8s"));
  private final UUID workspace = UUID.randomUUID();
  private final Map<UUID, String> expected = new HashMap<>();
  private final ClosedPort refusing = ClosedPort.open();

  @AfterEach
  void close() {
    fleet.close();
    refusing.close();
  }

  @Test
  void isRecordedForEveryKindOfFailure() {
    for (int status : new int[] {301, 307, 400, 401, 404, 410, 429, 500, 503}) {
      expect("status " + status, behaving("s" + status, answering(status)));
    }
    expect("connect null", "https://127.0.0.1:" + refusing.number() + "/");
    expect("reset null", fleet.receivers.rawUrl(socket -> socket.handler(_ -> socket.close())));
    expect("timeout null", behaving("hanging", (_, _) -> {}));
    expect("timeout null", fleet.receivers.rawUrl(dripping("HTTP/1.1 200 OK\r\nx-slow: ")));
    expect("delivered 200", fleet.receivers.rawUrl(dripping(okWithBodyOf(1_000_000))));
    expect("delivered 200", behaving("endless", (request, _) -> pour(request.response())));
    expect("tls null", fleet.receivers.untrustedUrl());
    expect("dns null", "https://no-such-receiver.invalid/");
    expect("blocked_address null", "https://10.0.0.1/");
    expect("bad_response null", fleet.receivers.rawUrl(saying("SMTP ready\r\n\r\n")));
    fleet.dispatcher();

    fleet.captures(workspace, 1);

    await().until(() -> fleet.count("deliveries") == expected.size());
    Map<UUID, String> actual = new HashMap<>();
    for (Row row :
        fleet.query(
            "select d.endpoint_id, a.outcome, a.status, d.state, octet_length(a.answer) as bytes,"
                + " a.revision is not null and a.length > 0 and a.signature like 't=%,v1=%' as sent,"
                + " a.response_headers is not null as answered from deliveries d join attempts a on a.delivery_id = d.id")) {
      actual.put(
          row.getUUID("endpoint_id"), row.getString("outcome") + " " + row.getInteger("status"));
      assertThat(row.getString("state"))
          .isEqualTo(row.getString("outcome").equals("delivered") ? "delivered" : "pending");
      assertThat(row.getBoolean("answered")).isEqualTo(row.getInteger("status") != null);
      if (row.getInteger("status") != null) {
        assertThat(row.getBoolean("sent")).isTrue();
      } else if (List.of("dns", "connect", "blocked_address").contains(row.getString("outcome"))) {
        assertThat(row.getBoolean("sent")).isNotEqualTo(true);
      }
      if (row.getInteger("bytes") != null) {
        assertThat(row.getInteger("bytes")).isBetween(1, 4_096);
      }
    }
    assertThat(actual).isEqualTo(expected);
  }

  private void expect(String outcome, String url) {
    expected.put(fleet.endpoint(workspace, url, false).id(), outcome);
  }

  private String behaving(String receiver, Behaviour behaviour) {
    fleet.receivers.behave(receiver, behaviour);
    return fleet.receivers.url(receiver);
  }

  private static Behaviour answering(int status) {
    return (request, _) ->
        request
            .response()
            .setStatusCode(status)
            .putHeader("location", "https://127.0.0.1/elsewhere")
            .end("no");
  }

  private static String okWithBodyOf(int bytes) {
    return "HTTP/1.1 200 OK\r\ncontent-length: " + bytes + "\r\n\r\n";
  }

  private static Handler<NetSocket> saying(String text) {
    return socket -> socket.handler(_ -> socket.write(text));
  }

  /** Says {@code text} at once, and then one character after the other, without an end. */
  private Handler<NetSocket> dripping(String text) {
    return socket ->
        socket.handler(_ -> {
          socket.handler(_ -> {});
          socket.write(text);
          long drip =
              fleet
                  .receivers
                  .vertx()
                  .setPeriodic(DRIP_MILLIS, _ -> socket.write(Buffer.buffer("x")));
          socket.closeHandler(_ -> fleet.receivers.vertx().cancelTimer(drip));
        });
  }

  private void pour(HttpServerResponse response) {
    response.setChunked(true).setStatusCode(200);
    Buffer piece = Buffer.buffer("x".repeat(8_192));
    Runnable write =
        new Runnable() {
          @Override
          public void run() {
            if (!response.closed()) {
              response.write(piece).onSuccess(_ -> fleet.receivers.vertx().setTimer(1, _ -> run()));
            }
          }
        };
    write.run();
  }
}
