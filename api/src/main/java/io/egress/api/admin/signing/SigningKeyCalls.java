package io.egress.api.admin.signing;

import io.egress.api.admin.workspaces.Creations;
import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.intake.EndpointBody;
import io.egress.platform.audit.Caller;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The internal API's calls for the key pairs of the service. */
public final class SigningKeyCalls {
  private static final Duration OVERLAP_DEFAULT = Duration.ofDays(7);

  private final ServiceKeys keys;
  private final Creations creations;

  public SigningKeyCalls(ServiceKeys keys, Pool pool, @Nullable SecretBox secretBox) {
    this.keys = keys;
    this.creations = new Creations(pool, secretBox, "signing-keys");
  }

  public Answer list(Call unused) {
    return Answer.ok(Map.of("signing_keys", keys.list()));
  }

  /** Answers with the new key. */
  public Answer rotate(Call call) {
    Caller caller = call.caller();
    Duration overlap = EndpointBody.rotation(call.optionalBody(), OVERLAP_DEFAULT).orRefuse();
    return creations.answer(call, tx -> keys.rotate(tx, caller, overlap));
  }

  /** From now on only the newest key signs. */
  public Answer endOverlap(Call call) {
    keys.endOverlap(call.caller());
    return Answer.noContent();
  }
}
