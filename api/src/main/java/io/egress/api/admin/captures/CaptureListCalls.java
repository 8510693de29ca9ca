package io.egress.api.admin.captures;

import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.call.Pages;

/** Lists the captures of a workspace. */
public final class CaptureListCalls {
  private final CaptureList captures;

  public CaptureListCalls(CaptureList captures) {
    this.captures = captures;
  }

  public Answer list(Call call) {
    CaptureList.Page page = captures.page(call.workspaceId(), CaptureFilter.from(call.query()));
    return Pages.answer("captures", page.captures(), page.next());
  }
}
