package io.egress.api.portal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.api.admin.captures.Captures;
import io.egress.api.admin.deliveries.DeliveryReads;
import io.egress.api.admin.deliveries.DeliveryReads.DeliveryWithAttempts;
import io.egress.api.admin.deliveries.SentBodies;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.call.Answer;
import io.egress.api.intake.QueryValues;
import io.egress.api.portal.access.Visit;
import io.egress.api.portal.view.AttemptGroup;
import io.egress.api.portal.view.AttemptRow;
import io.egress.api.portal.view.DeliveryDetail;
import io.egress.api.portal.view.DeliveryRow;
import io.egress.api.portal.view.Frame;
import io.egress.api.portal.view.IndentedJson;
import io.egress.api.portal.view.OtherDelivery;
import io.egress.platform.http.Refusal;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.core.buffer.Buffer;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One delivery: what was sent and what came back, in each of its attempts. */
final class DeliveryPage {
  /** A larger body is only downloaded: browsers take seconds to lay it out. */
  private static final int SHOWN_BYTES_MAX = 1 << 20;

  private final PageRenderer pages;
  private final Captures captures;
  private final Endpoints endpoints;
  private final DeliveryReads deliveries;
  private final SentBodies bodies;
  private final Clock clock;

  DeliveryPage(
      PageRenderer pages,
      Captures captures,
      Endpoints endpoints,
      DeliveryReads deliveries,
      SentBodies bodies,
      Clock clock) {
    this.clock = clock;
    this.pages = pages;
    this.captures = captures;
    this.endpoints = endpoints;
    this.deliveries = deliveries;
    this.bodies = bodies;
  }

  Answer show(Visit visit) {
    return pages.page(200, "delivery", parameters(visit, detail(visit)));
  }

  Answer live(Visit visit) {
    DeliveryDetail detail = detail(visit);
    return pages.part(visit, detail, "delivery-live", () -> parameters(visit, detail));
  }

  /**
   * The bytes of a body, to be compared with the signature. Only for sessions that could create a
   * key and pull the capture: others see no transcript on any page.
   */
  Answer body(Visit visit) {
    int number = attempt(visit);
    return Answer.of(200, "application/json", bytes(visit, number))
        .with("x-content-type-options", "nosniff")
        .with(
            "content-disposition",
            "attachment; filename=\"" + AttemptRow.bodyFile(visit.id(), number) + "\"");
  }

  /** The body to be read and searched, for the same sessions. */
  Answer sent(Visit visit) {
    int number = attempt(visit);
    Buffer bytes = bytes(visit, number);
    return pages.page(
        200,
        "sent",
        Map.of(
            "frame",
            pages.frame(visit, "What was sent", "deliveries"),
            "delivery",
            visit.id(),
            "attempt",
            number,
            "length",
            bytes.length(),
            "json",
            bytes.length() > SHOWN_BYTES_MAX ? "" : IndentedJson.of(bytes.toString(UTF_8))));
  }

  private Buffer bytes(Visit visit, int attempt) {
    if (!visit.session().mayChange()) {
      throw new Refusal(403, "This session is view only, and sees no transcripts.");
    }
    return bodies.read(visit.workspaceId(), visit.id(), attempt).bytes();
  }

  private static int attempt(Visit visit) {
    Integer attempt =
        QueryValues.one(visit.query(), "attempt", SentBodies::attempt, "must be the number of one");
    return attempt == null ? 1 : attempt;
  }

  private Map<String, Object> parameters(Visit visit, DeliveryDetail detail) {
    Frame frame = pages.frame(visit, "Delivery", "deliveries");
    String live =
        detail.isOpen()
            ? LivePart.path(frame.base() + "/live/deliveries/" + detail.row().id(), "", detail)
            : "";
    return Map.of("frame", frame, "detail", detail, "live", live);
  }

  private DeliveryDetail detail(Visit visit) {
    UUID workspaceId = visit.workspaceId();
    DeliveryWithAttempts found = deliveries.one(workspaceId, visit.id());
    Captures.Summary capture =
        captures.summary(workspaceId, found.delivery().captureId()).orElse(null);
    return detail(found, endpoints.list(workspaceId), capture, clock.instant());
  }

  private static DeliveryDetail detail(
      DeliveryWithAttempts found,
      List<Endpoint> all,
      Captures.@Nullable Summary capture,
      Instant now) {
    LoggedDelivery delivery = found.delivery();
    Optional<Endpoint> endpoint =
        all.stream().filter(each -> each.id().equals(delivery.endpointId())).findFirst();
    String url = endpoint.map(Endpoint::url).orElse("");
    List<AttemptRow> attempts =
        found.attempts().stream()
            .map(each ->
                AttemptRow.of(
                    each.number(),
                    each.made(),
                    delivery.id(),
                    delivery.position(),
                    url,
                    found.isBodyKnown(each.made())))
            .toList();
    return new DeliveryDetail(
        DeliveryRow.of(
            delivery,
            capture == null ? Captures.UNTITLED : capture.title(),
            endpoint.map(EndpointNames::of).orElse(EndpointNames.DELETED),
            now),
        url,
        capture,
        AttemptGroup.of(attempts),
        delivery.replayId() == null
            ? null
            : DeliveryId.of(delivery.endpointId(), delivery.captureId()),
        found.others().stream().map(OtherDelivery::of).toList());
  }
}
