package io.egress.cli.mirror;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The same for each of several things, a few at a time. */
final class Parallel {
  interface Task<T, R> {
    R run(T one) throws IOException;
  }

  private Parallel() {}

  /**
   * The results, in order. Returns after all that began has ended, with the first failure if there
   * is one; nothing begins after a failure.
   */
  static <T, R> List<R> run(int atATime, List<T> all, Task<T, R> task) throws IOException {
    List<R> results = new ArrayList<>(all.size());
    if (atATime == 1 || all.size() < 2) {
      for (T one : all) {
        results.add(task.run(one));
      }
      return results;
    }
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    List<Future<R>> running = new ArrayList<>(all.size());
    try (ExecutorService executor =
        Executors.newFixedThreadPool(
            Math.min(atATime, all.size()),
            Thread.ofVirtual().name("egress-mirror-", 0).factory())) {
      for (T one : all) {
        running.add(executor.submit(() -> guarded(task, one, failure)));
      }
    }
    rethrow(failure.get());
    for (Future<R> one : running) {
      results.add(one.resultNow());
    }
    return results;
  }

  private static <T, R> R guarded(
      Task<T, R> task, T one, AtomicReference<@Nullable Throwable> failure)
      throws IOException, ExecutionException {
    if (failure.get() != null) {
      throw new ExecutionException("not begun", failure.get());
    }
    try {
      return task.run(one);
    } catch (Throwable first) {
      failure.compareAndSet(null, first);
      throw first;
    }
  }

  private static void rethrow(@Nullable Throwable failure) throws IOException {
    switch (failure) {
      case null -> {}
      case IOException io -> throw io;
      case RuntimeException unchecked -> throw unchecked;
      case Error error -> throw error;
      default -> throw new IllegalStateException(failure);
    }
  }
}
