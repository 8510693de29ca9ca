package io.egress.transcript.document;

import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;

/** The threads that read and render captures: one per processor. */
public final class Renderers {
  private Renderers() {}

  public static WorkerExecutor of(Vertx vertx) {
    return vertx.createSharedWorkerExecutor(
        "egress-render", Math.max(2, Runtime.getRuntime().availableProcessors()));
  }
}
