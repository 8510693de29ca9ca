package io.egress.api.portal.view;

import io.egress.api.admin.captures.Captures;
import io.egress.api.admin.keys.ApiKeys;
import io.egress.api.admin.workspaces.RetentionPolicy;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The overview of a workspace.
 *
 * @param newest the capture at the head of the stream; null while that is empty
 * @param endpoints the ones shown, out of {@code endpointsInAll}
 * @param stopped keys that are expected to pull and do not
 * @param together the deliveries to {@code counted} of them; null if there are not several
 */
public record Overview(
    Captures.@Nullable Newest newest,
    int endpointsInAll,
    List<EndpointLine> endpoints,
    List<ApiKeys.ListedKey> stopped,
    @Nullable DayChart together,
    int counted,
    RetentionPolicy.Kept keeping) {
  private static final int GROUP_MIN = 3;

  public Overview {
    endpoints = List.copyOf(endpoints);
    stopped = List.copyOf(stopped);
  }

  /** Endpoints that fail in the same way. */
  public record FailureGroup(String words, long endpoints) {}

  /** Of three endpoints or more, the largest first: their cause may be one. */
  public List<FailureGroup> failureGroups() {
    return endpoints.stream()
        .map(each -> each.status().failure())
        .flatMap(Stream::ofNullable)
        .collect(Collectors.groupingBy(words -> words, Collectors.counting()))
        .entrySet()
        .stream()
        .filter(each -> each.getValue() >= GROUP_MIN)
        .map(each -> new FailureGroup(each.getKey(), each.getValue()))
        .sorted(Comparator.comparingLong(FailureGroup::endpoints).reversed())
        .toList();
  }

  /** Whether more than one endpoint has missed something that can be sent again. */
  public boolean mayCatchUp() {
    return endpoints.stream().filter(each -> each.status().again() != null).count() > 1;
  }

  public long captures() {
    return newest == null ? 0 : newest.position();
  }
}
