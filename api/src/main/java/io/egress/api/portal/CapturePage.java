package io.egress.api.portal;

import io.egress.api.admin.deliveries.DeliveryReads;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.admin.erasures.CaptureErasure;
import io.egress.api.admin.operator.CaptureFinder;
import io.egress.api.admin.operator.FoundCapture;
import io.egress.api.intake.ErasureBody;
import io.egress.api.intake.GivenBody;
import io.egress.api.portal.access.PortalAccess;
import io.egress.api.portal.access.PortalForm;
import io.egress.api.portal.access.PortalSession;
import io.egress.api.portal.view.CaptureDetail;
import io.egress.api.portal.view.DeliveryRow;
import io.egress.api.portal.view.DescribedCapture;
import io.egress.api.portal.view.FormProblem;
import io.egress.platform.audit.Caller;
import io.egress.platform.http.Refusal;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One capture: where it is or why it is not there, what became of it, and the form to erase it. */
final class CapturePage {
  private static final String PLACE = "deliveries";

  private final PageRenderer pages;
  private final CaptureLookups lookups;
  private final CaptureFinder captures;
  private final CaptureErasure erasure;
  private final Endpoints endpoints;
  private final DeliveryReads deliveries;

  CapturePage(
      PageRenderer pages,
      CaptureLookups lookups,
      CaptureFinder captures,
      CaptureErasure erasure,
      Endpoints endpoints,
      DeliveryReads deliveries) {
    this.pages = pages;
    this.lookups = lookups;
    this.captures = captures;
    this.erasure = erasure;
    this.endpoints = endpoints;
    this.deliveries = deliveries;
  }

  Future<Void> show(RoutingContext ctx, PortalSession session) {
    return capture(ctx, session)
        .compose(capture -> detail(session.workspaceId(), capture))
        .map(detail ->
            pages.send(
                ctx,
                200,
                "capture",
                Map.of("frame", pages.frame(ctx, session, "Capture", PLACE), "detail", detail)));
  }

  /** Fails with a {@link Refusal} if the workspace has no such capture. */
  private Future<FoundCapture> capture(RoutingContext ctx, PortalSession session) {
    return captures
        .find(PathId.of(ctx))
        .map(found ->
            found
                .filter(each -> each.workspaceId().equals(session.workspaceId()))
                .orElseThrow(
                    () -> new Refusal(404, "There is no such capture in this workspace.")));
  }

  private Future<CaptureDetail> detail(UUID workspaceId, FoundCapture capture) {
    MultiMap ofCapture =
        MultiMap.caseInsensitiveMultiMap().add("capture_id", capture.id().toString());
    return lookups
        .one(workspaceId, capture.id())
        .compose(described ->
            endpoints
                .list(workspaceId)
                .compose(all ->
                    deliveries
                        .list(workspaceId, all, ofCapture)
                        .map(listed -> detail(capture, described.orElse(null), all, listed))));
  }

  private static CaptureDetail detail(
      FoundCapture capture,
      @Nullable DescribedCapture described,
      List<Endpoint> all,
      DeliveryReads.Listed listed) {
    Map<UUID, String> names =
        all.stream().collect(Collectors.toMap(Endpoint::id, EndpointNames::of));
    String title = described == null ? CaptureLookups.UNTITLED : described.title();
    List<DeliveryRow> rows =
        listed.deliveries().stream()
            .map(each ->
                DeliveryRow.of(
                    each, title, names.getOrDefault(each.endpointId(), EndpointNames.DELETED)))
            .toList();
    return new CaptureDetail(capture, described, rows, all.size(), listed.next() != null);
  }

  /** Shows the form. */
  Future<Void> askErasure(RoutingContext ctx, PortalSession session) {
    return sendErasure(ctx, session, 200, null);
  }

  Future<Void> erase(RoutingContext ctx, PortalSession session, PortalForm form) {
    UUID id = PathId.of(ctx);
    JsonObject body = new JsonObject().put("reason", form.text("reason"));
    return Forms.orExplain(
        form,
        () ->
            erasure
                .eraseOf(
                    session.workspaceId(),
                    Caller.ofPage(ctx, session.actor()),
                    id,
                    Forms.accepted(ErasureBody.reason(GivenBody.of(body))))
                .compose(_ ->
                    PortalAccess.seeOther(
                        ctx, pages.base(session) + "/captures/" + id + "?done=capture-erased")),
        (status, problem) -> sendErasure(ctx, session, status, problem));
  }

  private Future<Void> sendErasure(
      RoutingContext ctx, PortalSession session, int status, @Nullable FormProblem problem) {
    return capture(ctx, session)
        .map(capture ->
            pages.send(
                ctx,
                status,
                "erase",
                Map.of(
                    "frame",
                    pages.frame(ctx, session, "Erase a capture", PLACE).withProblem(problem),
                    "capture",
                    capture)));
  }
}
