package io.egress.dispatcher.send;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The attempts that are made on one event loop. */
final class SendingLoop {
  private static final long HOUSEKEEPING_PERIOD_MILLIS = 1_000;

  private final AttemptContext context;
  private final Set<Attempt> running = new HashSet<>();
  private final long housekeepingTimer;
  private boolean closed;

  SendingLoop(AttemptContext context) {
    this.context = context;
    this.housekeepingTimer =
        context
            .loop()
            .setPeriodic(HOUSEKEEPING_PERIOD_MILLIS, timer -> context.pools().keepHouse());
  }

  Sending send(SendRequest request) {
    Attempt attempt = new Attempt(request, context, running::remove);
    context.run(() -> start(attempt));
    return attempt;
  }

  /** Aborts what runs; what is sent afterwards is aborted at once. */
  Future<Void> close() {
    Promise<Void> done = Promise.promise();
    context.run(
        () -> {
          closed = true;
          context.cancelTimer(housekeepingTimer);
          List.copyOf(running).forEach(attempt -> attempt.abort("the sender is closed"));
          done.complete();
        });
    return done.future();
  }

  private void start(Attempt attempt) {
    if (closed) {
      attempt.abort("the sender is closed");
      return;
    }
    running.add(attempt);
    attempt.start();
  }
}
