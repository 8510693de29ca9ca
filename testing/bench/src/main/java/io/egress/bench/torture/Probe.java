package io.egress.bench.torture;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** How long a new capture of each tenant takes to its endpoints. */
record Probe(List<Tenant> tenants, Evidence evidence) {
  private static final Duration GIVEN_UP = Duration.ofMinutes(2);

  /** Puts one of each tenant, and waits until it has reached those that refuse nothing. */
  Duration measure() throws InterruptedException {
    long begun = System.nanoTime();
    for (Tenant tenant : tenants) {
      UUID probe = tenant.putCapture();
      for (Tenant.Endpoint endpoint : tenant.owed()) {
        boolean flaky = endpoint.name().contains("flaky");
        while (!flaky
            && !evidence.wasAccepted(endpoint.name(), probe)
            && System.nanoTime() - begun < GIVEN_UP.toNanos()) {
          TimeUnit.MILLISECONDS.sleep(20);
        }
      }
    }
    return Duration.ofNanos(System.nanoTime() - begun);
  }
}
