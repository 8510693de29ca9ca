package io.egress.api.portal;

import io.egress.http.Refusal;
import io.vertx.core.Future;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** Shared by the pages with forms. */
final class Forms {
  private static final int FIRST_FAULT_OF_OURS = 500;

  private Forms() {}

  /** Shows an error on the form's page. {@code page} receives the status and the reason. */
  static Future<Void> orExplain(
      Supplier<Future<Void>> work, BiFunction<Integer, String, Future<Void>> page) {
    return Future.succeededFuture()
        .compose(begun -> work.get())
        .recover(
            failure ->
                failure instanceof Refusal refusal && mayBeRepaired(refusal)
                    ? page.apply(refusal.status(), refusal.reason())
                    : Future.failedFuture(failure));
  }

  /** 404 and 403 have no form to return to. */
  private static boolean mayBeRepaired(Refusal refusal) {
    return refusal.status() < FIRST_FAULT_OF_OURS
        && refusal.status() != 403
        && refusal.status() != 404;
  }
}
