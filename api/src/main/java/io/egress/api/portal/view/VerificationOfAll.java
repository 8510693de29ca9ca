package io.egress.api.portal.view;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What became of the captures owed to the endpoints of a workspace.
 *
 * @param inAll the number of the workspace's endpoints
 * @param next the query of the page that goes on; null if nothing is left
 */
public record VerificationOfAll(
    List<VerificationOfAll.Row> rows, int inAll, @Nullable String next) {
  /** An endpoint, as far as it was examined. */
  public record Row(UUID id, String name, VerificationView result) {}

  public VerificationOfAll {
    rows = List.copyOf(rows);
  }

  public VerificationView together() {
    return VerificationView.together(rows.stream().map(Row::result).toList());
  }

  /** Whether these are all endpoints, each from the beginning to the end. */
  public boolean isWhole() {
    return next == null && rows.size() == inAll;
  }
}
