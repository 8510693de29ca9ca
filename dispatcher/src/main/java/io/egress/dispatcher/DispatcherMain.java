package io.egress.dispatcher;

import io.egress.platform.lifecycle.RunningProcess;
import io.egress.platform.trace.TracedVertx;
import io.egress.settings.Settings;
import io.vertx.core.Vertx;

/** Runs the dispatcher role as a process, configured by its environment. */
public final class DispatcherMain {
  private DispatcherMain() {}

  public static void main(String[] arguments) {
    RunningProcess.run(DispatcherMain::run);
  }

  /** Returns when the process has stopped. */
  public static int run() {
    Settings settings = Settings.from(System.getenv());
    RunningProcess process = RunningProcess.begin();
    Vertx vertx = TracedVertx.create(settings.process().tracing(), "transcript-egress-dispatcher");
    process.push(vertx);
    DispatcherApp app = RunningProcess.await(DispatcherApp.start(vertx, settings));
    process.pushAsync("the dispatcher", app::close);
    process.waitForStop();
    return 0;
  }
}
