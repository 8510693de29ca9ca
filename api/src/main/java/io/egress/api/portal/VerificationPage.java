package io.egress.api.portal;

import static java.util.Objects.requireNonNullElse;

import io.egress.api.admin.deliveries.Verification;
import io.egress.api.admin.deliveries.Verifier;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.call.Answer;
import io.egress.api.intake.QueryValues;
import io.egress.api.portal.access.Visit;
import io.egress.api.portal.view.VerificationOfAll;
import io.egress.api.portal.view.VerificationView;
import io.egress.platform.http.PathIds;
import io.egress.webhook.endpoint.Endpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The proof that nothing is missing: every capture owed to an endpoint, accounted for. */
final class VerificationPage {
  /** Of 50,000 captures each. */
  private static final int PARTS_MAX = 4;

  /** A page that has taken so long is shown, and the next one goes on. */
  private static final Duration TIME = Duration.ofSeconds(20);

  private static final int ENDPOINTS_MAX = 200;

  private static final String ENDPOINT = "endpoint";
  private static final String FROM = "from_position";

  private static final Pattern POSITION = Pattern.compile("[1-9][0-9]{0,17}");

  private final PageRenderer pages;
  private final Endpoints endpoints;
  private final Verifier verifier;

  VerificationPage(PageRenderer pages, Endpoints endpoints, Verifier verifier) {
    this.pages = pages;
    this.endpoints = endpoints;
    this.verifier = verifier;
  }

  Answer show(Visit visit) {
    Long given = fromPosition(visit);
    Endpoint endpoint = endpoints.show(visit.workspaceId(), visit.id());
    List<Verification> parts = new ArrayList<>();
    Long next = requireNonNullElse(given, 1L);
    while (next != null && parts.size() < PARTS_MAX) {
      Verification part = verifier.verify(visit.workspaceId(), endpoint, next);
      parts.add(part);
      next = part.nextPosition();
    }
    return pages.page(
        200,
        "verification",
        Map.of(
            "frame",
            pages.frame(visit, "Is anything missing?", EndpointsPage.PLACE),
            ENDPOINT,
            endpoint,
            "name",
            EndpointNames.of(endpoint),
            "result",
            VerificationView.of(parts)));
  }

  private static @Nullable Long fromPosition(Visit visit) {
    return QueryValues.one(
        visit.query(),
        FROM,
        text ->
            Optional.of(text).filter(each -> POSITION.matcher(each).matches()).map(Long::valueOf),
        "must be one position of the stream");
  }

  /** Of all endpoints, or as many of them as there is time for. */
  Answer showAll(Visit visit) {
    Long given = fromPosition(visit);
    UUID begin = QueryValues.one(visit.query(), ENDPOINT, PathIds::uuid, "must be one id");
    List<Endpoint> all = endpoints.list(visit.workspaceId());
    if (begin != null) {
      endpoints.show(visit.workspaceId(), begin);
    }
    List<Endpoint> rest =
        all.stream().dropWhile(each -> begin != null && !each.id().equals(begin)).toList();
    long startedNanos = System.nanoTime();
    List<VerificationOfAll.Row> rows = new ArrayList<>();
    long from = begin == null ? 1 : requireNonNullElse(given, 1L);
    String next = null;
    for (Endpoint endpoint : rest) {
      if (rows.size() == ENDPOINTS_MAX || (!rows.isEmpty() && isLate(startedNanos))) {
        next = ENDPOINT + "=" + endpoint.id();
        break;
      }
      VerificationView result = verified(visit, endpoint, from, startedNanos);
      rows.add(new VerificationOfAll.Row(endpoint.id(), EndpointNames.of(endpoint), result));
      if (result.next() != null) {
        next = ENDPOINT + "=" + endpoint.id() + "&" + FROM + "=" + result.next();
        break;
      }
      from = 1;
    }
    return pages.page(
        200,
        "verification-all",
        Map.of(
            "frame",
            pages.frame(visit, "Is anything missing?", EndpointsPage.PLACE),
            "all",
            new VerificationOfAll(rows, all.size(), next)));
  }

  private VerificationView verified(Visit visit, Endpoint endpoint, long from, long startedNanos) {
    List<Verification> parts = new ArrayList<>();
    Long next = from;
    do {
      Verification part = verifier.verify(visit.workspaceId(), endpoint, next);
      parts.add(part);
      next = part.nextPosition();
    } while (next != null && !isLate(startedNanos));
    return VerificationView.of(parts);
  }

  private static boolean isLate(long startedNanos) {
    return System.nanoTime() - startedNanos > TIME.toNanos();
  }
}
