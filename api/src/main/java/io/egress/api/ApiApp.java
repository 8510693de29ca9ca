package io.egress.api;

import static java.util.Objects.requireNonNull;

import io.egress.platform.http.Monitoring;
import io.egress.platform.http.Routes;
import io.egress.platform.lifecycle.Closing;
import io.egress.settings.Settings;
import io.egress.transcript.document.DocumentRenderer;
import io.egress.transcript.document.TranscriptRenderer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;

/** The api role: public listener, internal listener and relay. */
public final class ApiApp {
  private final Closing closing;
  private final int publicPort;
  private final int internalPort;
  private final List<Routes.Call> calls;
  private final List<Routes.Call> pages;

  ApiApp(Closing closing, int publicPort, int internalPort, Routes routes, Routes pages) {
    this.closing = closing;
    this.publicPort = publicPort;
    this.internalPort = internalPort;
    this.calls = routes.calls();
    this.pages = pages.calls();
  }

  public static Future<ApiApp> start(Vertx vertx, Settings settings) {
    return start(vertx, settings, new TranscriptRenderer());
  }

  static Future<ApiApp> start(Vertx vertx, Settings settings, DocumentRenderer renderer) {
    requireNonNull(vertx, "vertx is null");
    Monitoring monitoring = Monitoring.of(vertx);
    Closing closing = new Closing(settings.process().shutdownTimeout());
    closing.pushSync("the monitoring", monitoring::close);
    return new ApiAssembly(vertx, settings, monitoring, renderer, closing).start();
  }

  /** For a process that runs several roles, which share the internal listener opened here. */
  public static Future<ApiApp> start(Vertx vertx, Settings settings, Monitoring monitoring) {
    requireNonNull(vertx, "vertx is null");
    requireNonNull(monitoring, "monitoring is null");
    Closing closing = new Closing(settings.process().shutdownTimeout());
    return new ApiAssembly(vertx, settings, monitoring, new TranscriptRenderer(), closing).start();
  }

  public int publicPort() {
    return publicPort;
  }

  public int internalPort() {
    return internalPort;
  }

  /** The routes of both listeners' APIs. */
  List<Routes.Call> calls() {
    return calls;
  }

  /** The settings page, served by the internal listener. */
  List<Routes.Call> pages() {
    return pages;
  }

  /**
   * Stops accepting requests and lets those in flight finish. Always completes within the shutdown
   * timeout.
   */
  public Future<Void> close() {
    return closing.close();
  }
}
