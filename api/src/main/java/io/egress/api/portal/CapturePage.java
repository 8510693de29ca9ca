package io.egress.api.portal;

import io.egress.api.admin.Operations.OfCaptures;
import io.egress.api.admin.captures.Captures;
import io.egress.api.admin.captures.FoundCapture;
import io.egress.api.admin.copies.Copies;
import io.egress.api.admin.deliveries.DeliveryReads;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.admin.erasures.CaptureErasure;
import io.egress.api.admin.workspaces.RetentionPolicy;
import io.egress.api.call.Answer;
import io.egress.api.intake.ErasureBody;
import io.egress.api.intake.GivenBody;
import io.egress.api.intake.QueryValues;
import io.egress.api.portal.access.Visit;
import io.egress.api.portal.view.CaptureDetail;
import io.egress.api.portal.view.DeliveryRow;
import io.egress.api.portal.view.FormProblem;
import io.egress.api.portal.view.ShownCopies;
import io.egress.platform.http.Refusal;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.core.MultiMap;
import io.vertx.core.json.JsonObject;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One capture: where it is or why it is not there, what became of it, and the form to erase it. */
final class CapturePage {
  private static final String PLACE = "captures";

  private final PageRenderer pages;
  private final Captures captures;
  private final CaptureErasure erasure;
  private final RetentionPolicy retention;
  private final Endpoints endpoints;
  private final DeliveryReads deliveries;
  private final Copies copies;
  private final Clock clock;

  CapturePage(
      PageRenderer pages,
      OfCaptures ofCaptures,
      RetentionPolicy retention,
      Endpoints endpoints,
      DeliveryReads deliveries,
      Clock clock) {
    this.clock = clock;
    this.pages = pages;
    this.captures = ofCaptures.captures();
    this.erasure = ofCaptures.erasure();
    this.retention = retention;
    this.endpoints = endpoints;
    this.deliveries = deliveries;
    this.copies = ofCaptures.copies();
  }

  Answer show(Visit visit) {
    CaptureDetail detail = detail(visit.workspaceId(), capture(visit));
    return pages.page(
        200,
        "capture",
        Map.of(
            "frame",
            pages.frame(visit, "Capture", PLACE),
            "detail",
            detail,
            "copies",
            ShownCopies.of(copies.of(visit.id()).orElseThrow())));
  }

  /** Throws a {@link Refusal} if the workspace has no such capture. */
  private FoundCapture capture(Visit visit) {
    return captures
        .find(visit.id())
        .filter(each -> each.workspaceId().equals(visit.workspaceId()))
        .orElseThrow(() -> new Refusal(404, "There is no such capture in this workspace."));
  }

  private CaptureDetail detail(UUID workspaceId, FoundCapture capture) {
    MultiMap ofCapture =
        MultiMap.caseInsensitiveMultiMap()
            .add("capture_id", capture.id().toString())
            .add("limit", String.valueOf(QueryValues.LIMIT_MAX));
    List<Endpoint> all = endpoints.list(workspaceId);
    return detail(
        capture,
        retention.of(workspaceId).legalHold(),
        captures.summary(workspaceId, capture.id()).orElse(null),
        all,
        deliveries.list(workspaceId, all, ofCapture),
        clock.instant());
  }

  private static CaptureDetail detail(
      FoundCapture capture,
      boolean legalHold,
      Captures.@Nullable Summary described,
      List<Endpoint> all,
      DeliveryReads.FoundDeliveries listed,
      Instant now) {
    Map<UUID, String> names =
        all.stream().collect(Collectors.toMap(Endpoint::id, EndpointNames::of));
    String title = described == null ? Captures.UNTITLED : described.title();
    List<DeliveryRow> rows =
        listed.deliveries().stream()
            .map(each ->
                DeliveryRow.of(
                    each, title, names.getOrDefault(each.endpointId(), EndpointNames.DELETED), now))
            .toList();
    return new CaptureDetail(
        capture,
        described,
        CaptureDetail.receivers(rows),
        all.size(),
        listed.next() != null,
        legalHold);
  }

  /** Shows the form. */
  Answer askErasure(Visit visit) {
    return form(visit, 200, null);
  }

  Answer erase(Visit visit) {
    JsonObject body = new JsonObject().put("reason", visit.form().text("reason"));
    return Forms.orExplain(
        visit.form(),
        () -> {
          String reason = Forms.accepted(ErasureBody.reason(GivenBody.of(body)));
          erasure.eraseOf(visit.workspaceId(), visit.caller(), visit.id(), reason);
          return Answer.seeOther(
              pages.base(visit) + "/captures/" + visit.id() + "?done=capture-erased");
        },
        (status, problem) -> form(visit, status, problem));
  }

  private Answer form(Visit visit, int status, @Nullable FormProblem problem) {
    return pages.page(
        status,
        "erase",
        Map.of(
            "frame",
            pages.frame(visit, "Erase a capture", PLACE).withProblem(problem),
            "capture",
            capture(visit)));
  }
}
