package io.egress.api.admin.erasures;

import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.intake.ErasureBody;
import java.util.UUID;

/** Erases captures and members. */
public final class ErasureCalls {
  private record ErasedMember(UUID id, int captures) {}

  private final CaptureErasure captures;
  private final MemberErasure members;

  public ErasureCalls(CaptureErasure captures, MemberErasure members) {
    this.captures = captures;
    this.members = members;
  }

  public Answer eraseCapture(Call call) {
    UUID id = call.id("capture");
    return Answer.ok(captures.erase(call.caller(), id, ErasureBody.reason(call.body()).orRefuse()));
  }

  public Answer eraseMember(Call call) {
    UUID workspaceId = call.workspaceId();
    UUID id = call.id("member");
    return Answer.ok(new ErasedMember(id, members.erase(call.caller(), workspaceId, id)));
  }
}
