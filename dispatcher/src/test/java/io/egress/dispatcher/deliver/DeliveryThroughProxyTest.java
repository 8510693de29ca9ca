package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Fleet;
import io.egress.testing.ConnectProxy;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Deliveries with {@code EGRESS_PROXY}, which fails at first. */
@Execution(ExecutionMode.CONCURRENT)
class DeliveryThroughProxyTest {

  private final ConnectProxy proxy = ConnectProxy.open();
  private final Fleet fleet =
      new Fleet(
          Map.of(
              "EGRESS_RETRY_SCHEDULE", "1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1h",
              "EGRESS_PAUSE_FAILING_AFTER", "5d",
              "EGRESS_PROXY", proxy.url()));
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
    proxy.close();
  }

  /** An endpoint that has failed for long enough would be paused by any failure of its own. */
  @Test
  void aFaultOfTheProxyIsRecordedAndRetriedAndPausesNothing() {
    proxy.refuseWith("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    fleet.endpoint(workspace, "crm");
    fleet.query("update endpoints set failing_since = now() - interval '6 days'");
    fleet.dispatcher();
    fleet.captures(workspace, 1);
    await().until(() -> fleet.count("attempts where outcome = 'proxy'") >= 2);
    assertThat(fleet.receivers.arrivals("crm")).isEmpty();
    assertThat(fleet.count("attempts where status is not null")).isZero();

    proxy.refuseWith("");

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 1);
    assertThat(fleet.count("endpoints where paused")).isZero();
    assertThat(fleet.count("attempts where outcome not in ('proxy', 'delivered')")).isZero();
    assertThat(proxy.requests()).allMatch(head -> head.startsWith("CONNECT 127.0.0.1:"));
  }
}
