package io.egress.bench.load;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThreadWorkTest {
  @ParameterizedTest
  @CsvSource({
    "vert.x-eventloop-thread-3, vert.x-eventloop-thread",
    "data-plane-kafk, data-plane-kafk",
    "GC Thread#0, GC Thread",
    "C2 CompilerThre, C2 CompilerThre",
    "egress-render-, egress-render",
    "pool 2, pool"
  })
  void threadsOfOneKindHaveOneName(String thread, String kind) {
    assertThat(ThreadWork.withoutNumber(thread)).isEqualTo(kind);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void countsHowOftenAThreadWasWokenUp() throws Exception {
    CountDownLatch there = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch slept = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    Thread sleeper =
        Thread.ofPlatform()
            .name("sleeper-1")
            .start(() -> {
              there.countDown();
              try {
                begun.await();
                for (int i = 0; i < 20; i++) {
                  assertThat(never.await(1, TimeUnit.MILLISECONDS)).isFalse();
                }
                slept.countDown();
                never.await();
              } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
              }
            });
    try {
      there.await();
      ThreadWork work = ThreadWork.begin(Map.of("test", () -> Stream.of(ProcessHandle.current())));
      begun.countDown();
      slept.await();

      ThreadWork.Work done = requireNonNull(requireNonNull(work.end().get("test")).get("sleeper"));
      assertThat(done.wakeUps()).isBetween(20L, 100L);
      assertThat(done.processorNanos()).isPositive();
    } finally {
      sleeper.interrupt();
    }
  }
}
