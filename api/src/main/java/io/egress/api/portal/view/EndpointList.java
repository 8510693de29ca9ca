package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a workspace's endpoints.
 *
 * @param inAll how many the workspace has
 * @param search what their description, URL or id contains; empty for all
 * @param next the query of the next page; null on the last
 */
public record EndpointList(
    List<EndpointLine> lines,
    int inAll,
    String search,
    boolean isOnlyTroubled,
    @Nullable String next) {
  private static final int FILTERED_FROM = 6;

  public EndpointList {
    lines = List.copyOf(lines);
    requireNonNull(search, "search is null");
  }

  /** Whether the list is too long to be read as a whole, or is filtered. */
  public boolean isFilterable() {
    return inAll >= FILTERED_FROM || isFiltered();
  }

  public boolean isFiltered() {
    return !search.isEmpty() || isOnlyTroubled;
  }
}
