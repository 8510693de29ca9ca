package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint in a list, and at the head of its own page.
 *
 * @param host that of its URL, with the port
 * @param behind the captures not delivered yet, as far as they were counted
 * @param age since when the oldest of them is owed, null if there are none
 */
public record EndpointLine(
    UUID id,
    String name,
    String url,
    String host,
    EndpointStatus status,
    DayChart chart,
    String behind,
    @Nullable String age) {
  public EndpointLine {
    requireNonNull(id, "id is null");
    requireNonNull(name, "name is null");
    requireNonNull(url, "url is null");
    requireNonNull(host, "host is null");
    requireNonNull(status, "status is null");
    requireNonNull(chart, "chart is null");
    requireNonNull(behind, "behind is null");
  }
}
