package io.egress.api.admin.copies;

import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.platform.http.Refusal;

/** Shows who has a copy of a capture, of whatever workspace. */
public final class CopyCalls {
  private final Copies copies;

  public CopyCalls(Copies copies) {
    this.copies = copies;
  }

  public Answer show(Call call) {
    return copies
        .of(call.id("capture"))
        .map(Answer::ok)
        .orElseThrow(() -> new Refusal(404, "the service never received a capture with this id"));
  }
}
