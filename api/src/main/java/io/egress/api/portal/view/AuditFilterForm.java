package io.egress.api.portal.view;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The filters of the audit log, as they were typed.
 *
 * @param query the same as a query, empty or ending with an ampersand
 * @param problems what is wrong, by the name of the field
 */
public record AuditFilterForm(
    List<Choice> actions,
    String actor,
    String thingId,
    String from,
    String to,
    String query,
    Map<String, String> problems) {
  public AuditFilterForm {
    actions = List.copyOf(actions);
    problems = Map.copyOf(problems);
  }

  public @Nullable String problem(String field) {
    return problems.get(field);
  }
}
