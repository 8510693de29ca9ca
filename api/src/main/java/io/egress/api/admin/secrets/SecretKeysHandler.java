package io.egress.api.admin.secrets;

import io.egress.platform.audit.Caller;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.Refusal;
import io.egress.webhook.endpoint.DamagedSecretException;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.endpoint.UnknownSecretKeyException;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Shows which keys are in use, and re-encrypts all signing secrets with the current one. */
public final class SecretKeysHandler {
  private final SealedSecrets secrets;
  private final @Nullable SecretBox secretBox;

  public SecretKeysHandler(Pool pool, @Nullable SecretBox secretBox) {
    this.secrets = new SealedSecrets(pool);
    this.secretBox = secretBox;
  }

  public void list(RoutingContext ctx) {
    answer(ctx, secrets.uses());
  }

  public void reseal(RoutingContext ctx) {
    if (secretBox == null) {
      HttpExchange.fail(
          ctx, new Refusal(503, "EGRESS_SECRET_KEY is not set: nothing can be sealed"));
      return;
    }
    Caller caller;
    try {
      caller = Caller.ofApi(ctx);
    } catch (Refusal refusal) {
      HttpExchange.fail(ctx, refusal);
      return;
    }
    answer(
        ctx,
        secrets
            .reseal(secretBox, caller)
            .recover(SecretKeysHandler::refuse)
            .compose(_ -> secrets.uses()));
  }

  private void answer(RoutingContext ctx, Future<List<SealedSecrets.Use>> uses) {
    uses.onSuccess(all -> HttpExchange.sendJson(ctx, 200, json(all)))
        .onFailure(failure -> HttpExchange.fail(ctx, failure));
  }

  private JsonObject json(List<SealedSecrets.Use> uses) {
    JsonArray shown = new JsonArray();
    for (SealedSecrets.Use use : uses) {
      shown.add(
          new JsonObject()
              .put("id", use.keyId())
              .put("secrets", use.secrets())
              .put("current", secretBox != null && secretBox.isCurrent(use.keyId()))
              .put("known", secretBox != null && secretBox.isKnown(use.keyId())));
    }
    return new JsonObject().put("secret_keys", shown);
  }

  private static <T> Future<T> refuse(Throwable failure) {
    return Future.failedFuture(
        failure instanceof UnknownSecretKeyException || failure instanceof DamagedSecretException
            ? new Refusal(409, String.valueOf(failure.getMessage()))
            : failure);
  }
}
