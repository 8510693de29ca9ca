package io.egress.dispatcher.send;

import io.egress.endpoint.AddressPolicy;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import java.time.Duration;

/** What all attempts of an event loop share, and the loop that they happen on. */
record AttemptContext(
    ContextInternal loop,
    Duration timeout,
    NameLookup names,
    AddressPolicy policy,
    EndpointPools pools,
    BodyBuffers bodies) {
  Vertx vertx() {
    return loop.owner();
  }

  /** What completes it on the loop is heard of on the context of whoever calls this. */
  <T> Promise<T> promiseToCaller() {
    return loop.owner().getOrCreateContext().promise();
  }

  /** At once where the caller is on the loop already. */
  void run(Runnable action) {
    loop.emit(action, Runnable::run);
  }

  long startTimer(long delayMillis, Runnable action) {
    return vertx().setTimer(Math.max(1, delayMillis), timer -> action.run());
  }

  void cancelTimer(long id) {
    vertx().cancelTimer(id);
  }
}
