package io.egress.api.admin.queue;

import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.webhook.queue.Rebuild;
import io.egress.webhook.queue.RebuildStore;
import io.vertx.sqlclient.Pool;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Shows the state of the queue with its newest rebuild, and requests one, which a dispatcher
 * carries out.
 */
public final class QueueCalls {
  private record Queue(@Nullable Rebuild rebuild, List<String> weaknesses) {}

  private final Pool pool;

  public QueueCalls(Pool pool) {
    this.pool = pool;
  }

  public Answer show(Call unused) {
    return Answer.ok(
        new Queue(RebuildStore.newest(pool).orElse(null), RebuildStore.weaknesses(pool)));
  }

  public Answer rebuild(Call call) {
    Caller caller = call.caller();
    Rebuild begun =
        new Transactions(pool)
            .call(tx -> RebuildStore.begin(tx, Rebuild.Reason.REQUESTED, List.of(), caller));
    return Answer.accepted(Map.of("rebuild", begun));
  }
}
