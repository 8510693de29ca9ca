package io.egress.api.portal;

import static java.util.Objects.requireNonNullElse;

import io.egress.api.admin.deliveries.Verification;
import io.egress.api.admin.deliveries.Verifier;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.call.Answer;
import io.egress.api.intake.QueryValues;
import io.egress.api.portal.access.Visit;
import io.egress.api.portal.view.VerificationView;
import io.egress.webhook.endpoint.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The proof that nothing is missing at an endpoint: every capture owed to it, accounted for. */
final class VerificationPage {
  /** Of 50,000 captures each. */
  private static final int PARTS_MAX = 4;

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
    Long given =
        QueryValues.one(
            visit.query(),
            "from_position",
            text ->
                Optional.of(text)
                    .filter(each -> POSITION.matcher(each).matches())
                    .map(Long::valueOf),
            "must be one position of the stream");
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
            "endpoint",
            endpoint,
            "name",
            EndpointNames.of(endpoint),
            "result",
            VerificationView.of(parts)));
  }
}
