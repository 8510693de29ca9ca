package io.egress.standalone.run;

import io.egress.api.ApiApp;
import io.egress.dispatcher.DispatcherApp;
import io.egress.platform.http.Monitoring;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.platform.trace.TracedVertx;
import io.egress.settings.Settings;
import io.vertx.core.Vertx;

/** Both roles on one Vert.x, with the api's internal listener for both. */
public record Standalone(Vertx vertx, ApiApp api, DispatcherApp dispatcher) {
  public static Standalone start(RunningProcess process, Settings settings) {
    Vertx vertx = TracedVertx.create(settings.process().tracing(), "transcript-egress");
    process.push(vertx);
    Monitoring monitoring = Monitoring.of(vertx);
    process.push("the monitoring", monitoring::close);
    ApiApp api = RunningProcess.await(ApiApp.start(vertx, settings, monitoring));
    process.pushAsync("the api", api::close);
    DispatcherApp dispatcher =
        RunningProcess.await(DispatcherApp.start(vertx, settings, monitoring));
    process.pushAsync("the dispatcher", dispatcher::close);
    return new Standalone(vertx, api, dispatcher);
  }
}
