package io.egress.api;

import io.egress.platform.lifecycle.RunningProcess;
import io.egress.platform.trace.TracedVertx;
import io.egress.settings.Settings;
import io.vertx.core.Vertx;

/** Runs the api role as a process, configured by its environment. */
public final class ApiMain {
  private ApiMain() {}

  public static void main(String[] arguments) {
    RunningProcess.run(ApiMain::run);
  }

  /** Returns after the process was asked to stop. */
  public static int run() {
    Settings settings = Settings.from(System.getenv());
    settings.requireForApi();
    RunningProcess process = RunningProcess.begin();
    Vertx vertx = TracedVertx.create(settings.process().tracing(), "transcript-egress-api");
    process.push(vertx);
    ApiApp app = RunningProcess.await(ApiApp.start(vertx, settings));
    process.pushAsync("the api", app::close);
    process.waitForStop();
    return 0;
  }
}
