package io.egress.api.admin.keys;

import io.egress.api.admin.idempotency.IdempotentCreations;
import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.call.Pages;
import io.egress.api.intake.CreationPlace;
import io.egress.api.intake.KeyBody;
import io.egress.api.intake.QueryValues;
import io.egress.platform.audit.Caller;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.sqlclient.Pool;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The internal API's calls for the keys of a workspace. */
public final class KeyCalls {
  private final ApiKeys keys;
  private final Readers readers;
  private final IdempotentCreations creations;

  public KeyCalls(ApiKeys keys, Readers readers, Pool pool, @Nullable SecretBox secretBox) {
    this.keys = keys;
    this.readers = readers;
    this.creations = new IdempotentCreations(pool, secretBox, "api-keys");
  }

  public Answer mint(Call call) {
    UUID workspaceId = call.workspaceId();
    Caller caller = call.caller();
    KeyBody.NewKey key = KeyBody.read(call.body()).orRefuse();
    return creations.answer(call, workspaceId, tx -> keys.mint(tx, caller, workspaceId, key));
  }

  public Answer list(Call call) {
    int limit = QueryValues.largeLimit(call.query());
    CreationPlace after = QueryValues.afterCreated(call.query());
    return Pages.answer(
        "api_keys",
        keys.list(call.workspaceId(), after, limit + 1),
        limit,
        key -> new CreationPlace(key.createdAt(), key.id()));
  }

  /** How far each reader is. */
  public Answer readers(Call call) {
    int limit = QueryValues.limit(call.query());
    CreationPlace after = QueryValues.afterCreated(call.query());
    return Pages.answer(
        "readers",
        readers.list(call.workspaceId(), after, limit + 1),
        limit,
        Readers.Reader::created);
  }

  /** Changes when the key expires, or how often it is expected to pull. */
  public Answer change(Call call) {
    UUID workspaceId = call.workspaceId();
    UUID id = call.id("key");
    Caller caller = call.caller();
    KeyBody.Change change = KeyBody.change(call.body()).orRefuse();
    return Answer.ok(keys.change(caller, workspaceId, id, change));
  }

  public Answer delete(Call call) {
    keys.delete(call.caller(), call.workspaceId(), call.id("key"));
    return Answer.noContent();
  }
}
