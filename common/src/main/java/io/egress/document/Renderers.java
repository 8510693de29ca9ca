package io.egress.document;

import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;

/** The threads on which captures are read and rendered: as many as can run at once. */
public final class Renderers {
  private Renderers() {}

  public static WorkerExecutor of(Vertx vertx) {
    return vertx.createSharedWorkerExecutor(
        "egress-render", Math.max(2, Runtime.getRuntime().availableProcessors()));
  }
}
