package io.egress.api.admin.endpoints;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.egress.api.admin.attempts.AttemptView;
import io.egress.api.admin.idempotency.IdempotentCreations;
import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.intake.EndpointBody;
import io.egress.api.intake.SeekBody;
import io.egress.platform.audit.Caller;
import io.egress.transcript.capture.SampleCapture;
import io.egress.webhook.endpoint.EndpointChange;
import io.egress.webhook.endpoint.NewEndpoint;
import io.egress.webhook.endpoint.Paging;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.send.CaptureState;
import io.egress.webhook.send.PushSettings;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The internal API's calls for the endpoints of a workspace. */
public final class EndpointCalls {
  private final Endpoints endpoints;
  private final Cursors cursors;
  private final TestSend testSend;
  private final Pool pool;
  private final IdempotentCreations creations;
  private final EndpointBody bodies;
  private final @Nullable SecretBox secretBox;

  public EndpointCalls(
      Endpoints endpoints, Cursors cursors, TestSend testSend, Pool pool, PushSettings settings) {
    this.endpoints = endpoints;
    this.cursors = cursors;
    this.testSend = testSend;
    this.pool = pool;
    this.creations = new IdempotentCreations(pool, settings.secretBox(), "endpoints");
    this.bodies = new EndpointBody(settings.allowHttpEndpoints(), settings.addressPolicy());
    this.secretBox = settings.secretBox();
  }

  public Answer create(Call call) {
    UUID workspaceId = call.workspaceId();
    Caller caller = call.caller();
    NewEndpoint endpoint = bodies.creation(call.body()).orRefuse();
    return creations.answer(
        call, workspaceId, tx -> endpoints.create(tx, caller, workspaceId, endpoint));
  }

  /** Answers like {@link #create}. */
  public Answer clone(Call call) {
    UUID workspaceId = call.workspaceId();
    UUID id = call.id("endpoint");
    Caller caller = call.caller();
    Paging original = endpoints.show(workspaceId, id).paging();
    EndpointBody.Clone wanted = EndpointBody.clone(call.optionalBody(), original).orRefuse();
    return new IdempotentCreations(pool, secretBox, "endpoints/" + id + "/clones")
        .answer(call, workspaceId, tx -> endpoints.clone(tx, caller, workspaceId, id, wanted));
  }

  public Answer show(Call call) {
    return Answer.ok(endpoints.show(call.workspaceId(), call.id("endpoint")));
  }

  public Answer change(Call call) {
    UUID workspaceId = call.workspaceId();
    UUID id = call.id("endpoint");
    Caller caller = call.caller();
    EndpointChange change = bodies.change(call.body()).orRefuse();
    return Answer.ok(endpoints.change(caller, workspaceId, id, change));
  }

  public Answer delete(Call call) {
    endpoints.delete(call.caller(), call.workspaceId(), call.id("endpoint"));
    return Answer.noContent();
  }

  /** Answers with the new secret, which is shown only this once. */
  public Answer rotateSecret(Call call) {
    UUID workspaceId = call.workspaceId();
    UUID id = call.id("endpoint");
    Caller caller = call.caller();
    Duration overlap = EndpointBody.rotation(call.optionalBody()).orRefuse();
    endpoints.show(workspaceId, id);
    return new IdempotentCreations(pool, secretBox, "endpoints/" + id + "/secrets")
        .answer(
            call, workspaceId, tx -> endpoints.rotateSecret(tx, caller, workspaceId, id, overlap));
  }

  /** Passes the capture that holds the endpoint, and answers with the endpoint. */
  public Answer skip(Call call) {
    UUID workspaceId = call.workspaceId();
    UUID id = call.id("endpoint");
    Caller caller = call.caller();
    SeekBody.Skip skip = SeekBody.skip(call.body()).orRefuse();
    cursors.skip(caller, workspaceId, id, skip.captureId(), skip.reason());
    return Answer.ok(endpoints.show(workspaceId, id));
  }

  /** Answers with the cursor that the receiver has to have. */
  public Answer seek(Call call) {
    UUID id = call.id("endpoint");
    SeekBody.Seek to = SeekBody.seek(call.body()).orRefuse();
    return Answer.ok(cursors.seek(call.caller(), call.workspaceId(), id, to));
  }

  private record Test(UUID deliveryId, UUID captureId, @JsonUnwrapped AttemptView attempt) {}

  /** Answers with the outcome of the test. */
  public Answer test(Call call) {
    TestSend.Result result = testSend.run(call.caller(), call.workspaceId(), call.id("endpoint"));
    return Answer.ok(
        new Test(
            result.deliveryId(),
            SampleCapture.ID,
            AttemptView.of(result.deliveryId(), CaptureState.POSITION_OF_TEST, result.attempt())));
  }

  /** From now on only the newest secret signs. */
  public Answer endOverlap(Call call) {
    endpoints.endOverlap(call.caller(), call.workspaceId(), call.id("endpoint"));
    return Answer.noContent();
  }
}
