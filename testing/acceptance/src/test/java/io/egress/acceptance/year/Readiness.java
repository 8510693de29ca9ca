package io.egress.acceptance.year;

import io.egress.acceptance.BothRoles;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Asks both roles all the time whether they are ready. */
final class Readiness implements AutoCloseable {
  private static final Duration PERIOD = Duration.ofMillis(200);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(2);

  private final MovedFleet fleet;
  private final HttpClient http = HttpClient.newHttpClient();
  private final ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor();
  private volatile boolean up;
  private volatile long downNanos = System.nanoTime();
  private volatile String reason = "";

  Readiness(MovedFleet fleet) {
    this.fleet = fleet;
    var _ = looking.scheduleWithFixedDelay(this::look, 0, PERIOD.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Whether both were ready a moment ago. */
  boolean isUp() {
    return up;
  }

  /** Whether one of them was not ready at some time since then. */
  boolean wasDownSince(long nanos) {
    return downNanos - nanos > 0;
  }

  /** Why one was not ready the last time. */
  String reason() {
    return reason;
  }

  private void look() {
    BothRoles roles = fleet.roles();
    boolean ready = isReady(roles.internalPort()) && isReady(roles.dispatcherPort());
    if (!ready) {
      downNanos = System.nanoTime();
    }
    up = ready;
  }

  private boolean isReady(int port) {
    try {
      URI uri = URI.create("http://127.0.0.1:" + port + "/health/ready");
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(uri).timeout(ANSWER_MAX).build(), BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        reason = answer.body();
      }
      return answer.statusCode() == 200;
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
      return true;
    } catch (Exception noAnswer) {
      reason = noAnswer.toString();
      return false;
    }
  }

  @Override
  public void close() {
    looking.shutdownNow();
    http.close();
  }
}
