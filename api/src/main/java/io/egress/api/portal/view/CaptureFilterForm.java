package io.egress.api.portal.view;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The filters of the list of captures, as they were typed.
 *
 * @param query the same as a query, empty or ending with an ampersand
 * @param problems what is wrong, by the name of the field
 */
public record CaptureFilterForm(
    String search,
    String member,
    String device,
    List<Choice> modes,
    String from,
    String to,
    String query,
    Map<String, String> problems) {
  public CaptureFilterForm {
    modes = List.copyOf(modes);
    problems = Map.copyOf(problems);
  }

  public @Nullable String problem(String field) {
    return problems.get(field);
  }

  /** Whether more than the search is set. */
  public boolean isDetailed() {
    return !(member + device + from + to).isEmpty()
        || modes.stream().anyMatch(each -> each.selected() && !each.value().isEmpty());
  }
}
