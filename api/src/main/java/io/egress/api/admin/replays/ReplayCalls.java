package io.egress.api.admin.replays;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.call.Pages;
import io.egress.api.intake.QueryValues;
import io.egress.api.intake.ReplayBody;
import io.egress.webhook.backfill.Backfills;
import io.egress.webhook.deliverylog.DeliveryState;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The internal API's calls for replays. */
public final class ReplayCalls {
  /**
   * A replay with its deliveries.
   *
   * @param deliveries their number by state; null if they cannot be distinguished from others
   */
  private record Detailed(
      @JsonUnwrapped Replay replay, @Nullable Map<DeliveryState, Long> deliveries) {}

  private final Replays replays;

  public ReplayCalls(Replays replays) {
    this.replays = replays;
  }

  public Answer start(Call call) {
    UUID workspaceId = call.workspaceId();
    UUID endpointId = call.id("endpoint");
    Backfills.Range range = ReplayBody.read(call.body()).orRefuse();
    return Answer.accepted(replays.start(call.caller(), workspaceId, endpointId, range));
  }

  /** Of what was not delivered, to all endpoints. */
  public Answer startForAll(Call call) {
    Backfills.Range during = ReplayBody.onlyUndelivered(call.body()).orRefuse();
    return Answer.accepted(
        Map.of("replays", replays.startForAll(call.caller(), call.workspaceId(), during)));
  }

  /** Replays of one endpoint. */
  public Answer list(Call call) {
    int limit = QueryValues.limit(call.query());
    Backfills.Place after = QueryValues.after(call.query(), ReplayCursor::decode);
    List<Detailed> found =
        replays.list(call.workspaceId(), call.id("endpoint"), after, limit + 1).stream()
            .map(each -> new Detailed(each.replay(), each.outcomes()))
            .toList();
    List<Detailed> page = found.subList(0, Math.min(limit, found.size()));
    return Pages.answer(
        "replays", page, found.size() > limit ? ReplayCursor.of(page.getLast().replay()) : null);
  }

  /** Shows a replay with the states of its deliveries. */
  public Answer show(Call call) {
    Replays.Progress found = replays.show(call.workspaceId(), call.id("replay"));
    return Answer.ok(new Detailed(found.replay(), found.outcomes()));
  }

  public Answer cancel(Call call) {
    replays.cancel(call.caller(), call.workspaceId(), call.id("replay"));
    return Answer.noContent();
  }
}
