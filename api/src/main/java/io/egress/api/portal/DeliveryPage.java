package io.egress.api.portal;

import io.egress.api.admin.deliveries.DeliveryReads;
import io.egress.api.admin.deliveries.SentBodies;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.intake.QueryValues;
import io.egress.api.portal.access.PortalSession;
import io.egress.api.portal.view.AttemptGroup;
import io.egress.api.portal.view.AttemptRow;
import io.egress.api.portal.view.DeliveryDetail;
import io.egress.api.portal.view.DeliveryRow;
import io.egress.api.portal.view.DescribedCapture;
import io.egress.api.portal.view.Frame;
import io.egress.api.portal.view.OtherDelivery;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.Refusal;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.endpoint.DeliveryId;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One delivery: what was sent and what came back, in each of its attempts. */
final class DeliveryPage {
  private final PageRenderer pages;
  private final CaptureLookups captures;
  private final Endpoints endpoints;
  private final DeliveryReads deliveries;
  private final SentBodies bodies;

  DeliveryPage(
      PageRenderer pages,
      CaptureLookups captures,
      Endpoints endpoints,
      DeliveryReads deliveries,
      SentBodies bodies) {
    this.pages = pages;
    this.captures = captures;
    this.endpoints = endpoints;
    this.deliveries = deliveries;
    this.bodies = bodies;
  }

  Future<Void> show(RoutingContext ctx, PortalSession session) {
    return detail(ctx, session).map(detail -> send(ctx, session, "delivery", detail));
  }

  Future<Void> live(RoutingContext ctx, PortalSession session) {
    return detail(ctx, session)
        .compose(detail ->
            LivePart.isSeen(ctx, detail)
                ? HttpExchange.endEmpty(ctx, 204)
                : Future.succeededFuture(send(ctx, session, "delivery-live", detail)));
  }

  /**
   * The bytes of a body, to be compared with the signature. Only for sessions that could create a
   * key and pull the capture: others see no transcript on any page.
   */
  Future<Void> body(RoutingContext ctx, PortalSession session) {
    if (!session.mayChange()) {
      throw new Refusal(403, "This session is view only, and sees no transcripts.");
    }
    UUID id = PathId.of(ctx);
    Integer attempt =
        QueryValues.one(
            ctx.queryParams(), "attempt", SentBodies::attempt, "must be the number of one");
    int number = attempt == null ? 1 : attempt;
    return bodies
        .read(session.workspaceId(), id, number)
        .onSuccess(body -> {
          ctx.response()
              .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
              .putHeader("x-content-type-options", "nosniff")
              .putHeader(
                  "content-disposition",
                  "attachment; filename=\"" + AttemptRow.bodyFile(id, number) + "\"");
          HttpExchange.end(ctx, body.bytes());
        })
        .mapEmpty();
  }

  private @Nullable Void send(
      RoutingContext ctx, PortalSession session, String template, DeliveryDetail detail) {
    Frame frame = pages.frame(ctx, session, "Delivery", "deliveries");
    String live =
        detail.isOpen()
            ? LivePart.path(frame.base() + "/live/deliveries/" + detail.row().id(), "", detail)
            : "";
    return pages.send(ctx, 200, template, Map.of("frame", frame, "detail", detail, "live", live));
  }

  private Future<DeliveryDetail> detail(RoutingContext ctx, PortalSession session) {
    UUID workspaceId = session.workspaceId();
    return deliveries
        .one(workspaceId, PathId.of(ctx))
        .compose(told ->
            endpoints
                .list(workspaceId)
                .compose(all ->
                    captures
                        .one(workspaceId, told.delivery().captureId())
                        .map(capture -> detail(told, all, capture.orElse(null)))));
  }

  private static DeliveryDetail detail(
      DeliveryReads.Told told, List<Endpoint> all, @Nullable DescribedCapture capture) {
    LoggedDelivery delivery = told.delivery();
    Optional<Endpoint> endpoint =
        all.stream().filter(each -> each.id().equals(delivery.endpointId())).findFirst();
    String url = endpoint.map(Endpoint::url).orElse("");
    List<AttemptRow> attempts =
        told.attempts().stream()
            .map(each ->
                AttemptRow.of(
                    each.number(), each.made(), delivery.id(), url, told.isBodyKnown(each.made())))
            .toList();
    return new DeliveryDetail(
        DeliveryRow.of(
            delivery,
            capture == null ? CaptureLookups.UNTITLED : capture.title(),
            endpoint.map(EndpointNames::of).orElse(EndpointNames.DELETED)),
        url,
        capture,
        AttemptGroup.of(attempts),
        delivery.replayId() == null
            ? null
            : DeliveryId.of(delivery.endpointId(), delivery.captureId()),
        told.others().stream().map(OtherDelivery::of).toList());
  }
}
