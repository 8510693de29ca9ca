package io.egress.api.portal.view;

import io.egress.api.admin.copies.CopiesReport;
import io.egress.api.admin.copies.CopiesReport.OfEndpoint;
import io.egress.api.admin.copies.CopiesReport.OfKey;
import io.egress.api.admin.copies.CopiesReport.Sent;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who has a capture, as many as fit on a page. Those who have not received its newest change come
 * first.
 *
 * @param hidden how many more there are
 * @param withoutIt the keys that were never sent it
 */
public record ShownCopies(
    List<OfKey> keys,
    List<OfEndpoint> endpoints,
    long untold,
    boolean isErased,
    long hidden,
    long withoutIt) {
  private static final int MAX = 50;

  public ShownCopies {
    keys = List.copyOf(keys);
    endpoints = List.copyOf(endpoints);
  }

  public static ShownCopies of(CopiesReport copies) {
    List<OfKey> holders = copies.keys().stream().filter(key -> key.sent() != Sent.NO).toList();
    List<OfKey> keys =
        holders.stream()
            .sorted(Comparator.comparing(key -> !isUntold(key.told())))
            .limit(MAX)
            .toList();
    List<OfEndpoint> endpoints =
        copies.endpoints().stream()
            .sorted(Comparator.comparing(endpoint -> !isUntold(endpoint.told())))
            .limit(MAX)
            .toList();
    long all = (long) holders.size() + copies.endpoints().size();
    return new ShownCopies(
        keys,
        endpoints,
        copies.untold(),
        copies.erasedAt() != null,
        all - keys.size() - endpoints.size(),
        copies.keys().size() - (long) holders.size());
  }

  private static boolean isUntold(@Nullable Boolean told) {
    return Boolean.FALSE.equals(told);
  }
}
