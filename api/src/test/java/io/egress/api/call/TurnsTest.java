package io.egress.api.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class TurnsTest {
  @Test
  void onePartRunsAtATimeAndAllDo() throws InterruptedException {
    Turns turns = new Turns();
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger done = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      threads.add(
          Thread.ofVirtual()
              .start(() -> {
                for (int part = 0; part < 50; part++) {
                  done.addAndGet(
                      turns.take(() -> {
                        most.accumulateAndGet(running.incrementAndGet(), Math::max);
                        LockSupport.parkNanos(10_000);
                        running.decrementAndGet();
                        return 1;
                      }));
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(most).hasValue(1);
    assertThat(done).hasValue(400);
  }
}
