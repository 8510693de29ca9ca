package io.egress.standalone.run;

import io.egress.api.ApiApp;
import io.egress.dispatcher.DispatcherApp;
import io.egress.lifecycle.RunningProcess;
import io.egress.settings.Settings;
import io.vertx.core.Vertx;

/** Both roles on one Vert.x. */
public record Standalone(Vertx vertx, ApiApp api, DispatcherApp dispatcher) {
  public static Standalone start(RunningProcess process, Settings settings) {
    Vertx vertx = Vertx.vertx();
    process.pushAsync("Vert.x", vertx::close);
    ApiApp api = RunningProcess.await(ApiApp.start(vertx, settings));
    process.pushAsync("the api", api::close);
    DispatcherApp dispatcher = RunningProcess.await(DispatcherApp.start(vertx, settings));
    process.pushAsync("the dispatcher", dispatcher::close);
    return new Standalone(vertx, api, dispatcher);
  }
}
