package io.egress.api.admin.deliveries;

import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.call.Pages;
import io.egress.api.intake.CreationPlace;
import io.egress.api.intake.QueryValues;
import io.egress.platform.http.PathIds;
import java.util.UUID;

/** Lists the pages that endpoints were sent. */
public final class PageCalls {
  private final Endpoints endpoints;
  private final SentPages pages;

  public PageCalls(Endpoints endpoints, SentPages pages) {
    this.endpoints = endpoints;
    this.pages = pages;
  }

  /** Newest first; those with one capture on request. */
  public Answer list(Call call) {
    UUID workspaceId = call.workspaceId();
    UUID id = call.id("endpoint");
    int limit = QueryValues.limit(call.query());
    CreationPlace after = QueryValues.after(call.query(), CreationPlace::decode);
    UUID captureId =
        QueryValues.one(call.query(), "capture_id", PathIds::uuid, "must be the id of a capture");
    endpoints.show(workspaceId, id);
    return Pages.answer(
        "pages",
        pages.list(workspaceId, id, captureId, after == null ? SentPages.NEWEST : after, limit + 1),
        limit,
        SentPages.SentPage::place);
  }
}
