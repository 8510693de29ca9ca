package io.egress.api.admin.deliveries;

import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.intake.QueryValues;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.endpoint.Endpoint;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Accounts for every capture owed to an endpoint. */
public final class VerificationCalls {
  private static final Pattern POSITION = Pattern.compile("[1-9][0-9]{0,17}");

  private final Endpoints endpoints;
  private final Verifier verifier;

  public VerificationCalls(Endpoints endpoints, Verifier verifier) {
    this.endpoints = endpoints;
    this.verifier = verifier;
  }

  public Answer verify(Call call) {
    Long given =
        QueryValues.one(
            call.query(),
            "from_position",
            VerificationCalls::position,
            "must be one position of the stream");
    Endpoint endpoint = endpoints.show(call.workspaceId(), call.id("endpoint"));
    long from = given == null ? 1 : given;
    return Answer.ok(json(endpoint, verifier.verify(call.workspaceId(), endpoint, from)));
  }

  private static Optional<Long> position(String text) {
    return POSITION.matcher(text).matches() ? Optional.of(Long.valueOf(text)) : Optional.empty();
  }

  private static Map<String, @Nullable Object> json(Endpoint endpoint, Verification result) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("endpoint_id", endpoint.id());
    json.put("from_position", result.fromPosition());
    json.put("to_position", result.toPosition());
    json.put("next_position", result.nextPosition());
    for (DeliveryState state : DeliveryState.OF_CAPTURES) {
      json.put(state.word(), result.of(state));
    }
    json.put("erased", result.erased());
    json.put("missing", result.missing());
    json.put("missing_replays", result.missingReplays());
    json.put("forgotten", result.forgotten());
    json.put("replayable", result.replayable());
    json.put("missing_capture_ids", result.missingCaptures());
    return json;
  }
}
