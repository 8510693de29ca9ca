package io.egress.bench.fuzz;

import io.egress.platform.lifecycle.RunningProcess;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Fuzzes both listeners with mutated requests, and the dispatcher with mutated responses. */
@Command(
    name = "fuzz",
    description =
        "Starts the service, sends mutated requests to both listeners, answers its webhooks with"
            + " mutated answers, and checks every answer of the service. The seed decides the"
            + " mutations. The exit status is 1 when an answer was wrong.")
public final class FuzzCommand implements Callable<Integer> {
  private static final int HOSTILE_ENDPOINTS = 8;
  private static final int REQUESTS_PER_CAPTURE = 200;
  private static final int CAPTURES_MAX = 2_000;
  private static final long HEALTHY_SECONDS_MAX = 120;
  private static final long CHECK_MILLIS = 500;
  private static final int CHECKS_FAILED_MAX = 40;

  /** The heap growth allowed between the first tenth of the run and its end. */
  private static final long HEAP_GROWTH_BYTES_MAX = 64L << 20;

  /** Netty keeps the buffers of its peak load. */
  private static final long BUFFER_BYTES_MAX = 256L << 20;

  private static final int WARM_UP_PART = 10;

  @Option(names = "--seed", defaultValue = "1", description = "decides the mutations")
  private long seed;

  @Option(names = "--requests", defaultValue = "100000", description = "how many to send")
  private long requests;

  @Option(names = "--connections", defaultValue = "32", description = "open at the same time")
  private int connections;

  private final Findings findings = new Findings();

  @Override
  public Integer call() throws Exception {
    RunningProcess process = RunningProcess.begin();
    System.out.printf("seed %d, %,d requests%nstarting ...%n", seed, requests);
    FuzzedService service = FuzzedService.start(process);
    HostileReceivers receivers = new HostileReceivers(seed, findings);
    process.push("the receivers", receivers);
    Webhooks webhooks = new Webhooks(service, receivers);
    Thread putting = new Thread(webhooks, "webhooks");
    putting.start();
    fire(service, requests / WARM_UP_PART, seed);
    Memory before = Memory.inUse();
    long begun = System.nanoTime();
    fire(service, requests - requests / WARM_UP_PART, seed + 1);
    double seconds = (System.nanoTime() - begun) / 1e9;
    putting.join();
    check(service, before);
    System.out.printf(
        "%,.0f requests/s%n", (requests - requests / WARM_UP_PART) / Math.max(seconds, 1e-3));
    findings.print();
    return findings.violations() == 0 ? 0 : 1;
  }

  private void fire(FuzzedService service, long shots, long fromSeed) throws Exception {
    AtomicLong left = new AtomicLong(shots);
    List<Request> open = service.publicRequests();
    List<Request> internal = service.internalRequests();
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      boolean isPublic = i % 3 == 0;
      Random random = new Random(fromSeed * 1_000_003 + i);
      FuzzClient client =
          new FuzzClient(
              (isPublic ? "public" : "internal") + " listener, client " + i + " of seed " + seed,
              isPublic ? service.publicPort() : service.internalPort(),
              new RequestMutator(isPublic ? open : internal, random),
              random,
              left,
              findings);
      Thread thread = new Thread(client, "fuzz-" + i);
      thread.start();
      clients.add(thread);
    }
    while (left.get() > 0) {
      requireSoon(service::requireWorking);
      TimeUnit.MILLISECONDS.sleep(CHECK_MILLIS);
    }
    for (Thread client : clients) {
      client.join();
    }
  }

  private interface Check {
    void run() throws IOException, InterruptedException;
  }

  /** An overloaded service may answer 503, but not for long. */
  private void requireSoon(Check check) throws InterruptedException {
    for (int failed = 1; true; failed++) {
      try {
        check.run();
        findings.count("checks that all works");
        return;
      } catch (IOException | RuntimeException broken) {
        if (failed == CHECKS_FAILED_MAX) {
          findings.violation("a request beside the fuzzing failed: " + broken);
          return;
        }
        TimeUnit.MILLISECONDS.sleep(CHECK_MILLIS);
      }
    }
  }

  private void check(FuzzedService service, Memory before) throws Exception {
    requireSoon(service::requireWorking);
    requireSoon(service::requireReady);
    requireSoon(service::requireNoMemoryInUse);
    double restarts = service.dispatcherRestarts();
    if (restarts > 0) {
      findings.violation("the dispatcher started again " + restarts + " times");
    }
    Memory after = Memory.inUse();
    System.out.printf("in use after a collection: %s, at the end %s%n", before, after);
    if (after.heapBytes() > before.heapBytes() + HEAP_GROWTH_BYTES_MAX
        || after.directBytes() > BUFFER_BYTES_MAX) {
      findings.violation("memory grew from " + before + " to " + after);
    }
  }

  /** Heap after a collection, and direct buffers. */
  private record Memory(long heapBytes, long directBytes) {
    static Memory inUse() {
      System.gc();
      return new Memory(
          ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
          PlatformDependent.usedDirectMemory());
    }

    @Override
    public String toString() {
      return "%d MiB of heap and %d MiB of buffers".formatted(heapBytes >> 20, directBytes >> 20);
    }
  }

  /** A healthy endpoint among hostile ones; it must receive every capture. */
  private final class Webhooks implements Runnable {
    private final FuzzedService service;
    private final HostileReceivers receivers;
    private final UUID workspace = UUID.randomUUID();

    Webhooks(FuzzedService service, HostileReceivers receivers) {
      this.service = service;
      this.receivers = receivers;
      service.createEndpoint(workspace, receivers.url("/healthy"));
      for (int i = 0; i < HOSTILE_ENDPOINTS; i++) {
        service.createEndpoint(workspace, receivers.url("/hostile/" + i));
      }
    }

    @Override
    public void run() {
      Set<UUID> missing = new HashSet<>();
      try {
        long captures = Math.min(10 + requests / REQUESTS_PER_CAPTURE, CAPTURES_MAX);
        for (long i = 0; i < captures; i++) {
          missing.add(service.putCapture(workspace));
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(HEALTHY_SECONDS_MAX);
        while (!missing.isEmpty() && System.nanoTime() < end) {
          missing.removeAll(receivers.received());
          TimeUnit.MILLISECONDS.sleep(CHECK_MILLIS / 10);
        }
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException broken) {
        findings.violation("a capture could not be put beside the fuzzing: " + broken);
      }
      if (!missing.isEmpty()) {
        findings.violation(
            "%d captures did not reach the healthy endpoint within %d s"
                .formatted(missing.size(), HEALTHY_SECONDS_MAX));
      }
    }
  }
}
