package io.egress.api.admin.deliveries;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.egress.api.admin.attempts.AttemptView;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.call.Pages;
import io.egress.api.intake.CreationPlace;
import io.egress.api.intake.QueryValues;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.Refusal;
import java.util.List;
import java.util.UUID;

/** Lists and shows the pages that endpoints were sent. */
public final class PageCalls {
  private final Endpoints endpoints;
  private final SentPages pages;
  private final DeliveryReads deliveries;

  public PageCalls(Endpoints endpoints, SentPages pages, DeliveryReads deliveries) {
    this.endpoints = endpoints;
    this.pages = pages;
    this.deliveries = deliveries;
  }

  /** A page with its attempts. */
  record Detailed(
      UUID endpointId,
      @JsonUnwrapped SentPages.SentPage page,
      List<DeliveryView.Attempt> attemptLog) {}

  /** Shows a page by the id that receivers see. */
  public Answer show(Call call) {
    UUID id = call.id("page");
    SentPages.PageOf found =
        pages
            .one(call.workspaceId(), id)
            .orElseThrow(() -> new Refusal(404, "no such page in this workspace"));
    return Answer.ok(
        new Detailed(
            found.endpointId(),
            found.page(),
            deliveries.attempts(id).stream()
                .map(each ->
                    new DeliveryView.Attempt(
                        each.number(), false, AttemptView.ofPage(id, each.made())))
                .toList()));
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
