package io.egress.api.hook;

import io.egress.database.Transactions;
import io.egress.document.DocumentStore;
import io.egress.flow.ByteBudget;
import io.egress.settings.ApiSettings;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;

/** Everything that goes into the service: the completion hook, imports and renames. */
public final class Hook {
  private final HookHandler hooks;
  private final ImportHandler imports;

  /** {@code entered} is run whenever the stream's inbox may have got something. */
  public Hook(
      Vertx vertx,
      Transactions transactions,
      DocumentStore documents,
      ByteBudget memory,
      ApiSettings settings,
      Runnable entered) {
    CaptureWriter writer = new CaptureWriter(transactions, documents);
    this.hooks =
        new HookHandler(
            vertx,
            new BodyReader(memory, settings.maxCaptureBytes()),
            writer,
            new Renames(transactions),
            entered);
    this.imports =
        new ImportHandler(
            vertx,
            writer,
            entered,
            (int) Math.min(settings.maxCaptureBytes(), Integer.MAX_VALUE / 2));
  }

  public void mount(Router router) {
    hooks.mount(router);
    imports.mount(router);
  }
}
