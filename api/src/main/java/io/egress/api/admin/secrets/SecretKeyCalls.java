package io.egress.api.admin.secrets;

import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.platform.http.Refusal;
import io.egress.webhook.endpoint.DamagedSecretException;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.endpoint.UnknownSecretKeyException;
import io.vertx.sqlclient.Pool;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Shows which keys are in use, and re-encrypts all signing secrets with the current one. */
public final class SecretKeyCalls {
  private record Key(String id, long secrets, boolean current, boolean known) {}

  private final SealedSecrets secrets;
  private final @Nullable SecretBox secretBox;

  public SecretKeyCalls(Pool pool, @Nullable SecretBox secretBox) {
    this.secrets = new SealedSecrets(pool);
    this.secretBox = secretBox;
  }

  public Answer list(Call unused) {
    return Answer.ok(Map.of("secret_keys", secrets.uses().stream().map(use -> key(use)).toList()));
  }

  public Answer reseal(Call call) {
    if (secretBox == null) {
      throw new Refusal(503, "EGRESS_SECRET_KEY is not set: nothing can be sealed");
    }
    try {
      secrets.reseal(secretBox, call.caller());
    } catch (UnknownSecretKeyException | DamagedSecretException unusable) {
      throw new Refusal(409, String.valueOf(unusable.getMessage()));
    }
    return list(call);
  }

  private Key key(SealedSecrets.Use use) {
    return new Key(
        use.keyId(),
        use.secrets(),
        secretBox != null && secretBox.isCurrent(use.keyId()),
        secretBox != null && secretBox.isKnown(use.keyId()));
  }
}
