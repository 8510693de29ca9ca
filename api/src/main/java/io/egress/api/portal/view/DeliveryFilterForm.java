package io.egress.api.portal.view;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The filters of a list of deliveries, as they were typed.
 *
 * @param endpoints to choose from; empty if the workspace has too many
 * @param endpoint the chosen one; its label is empty if it is unknown
 * @param endpointsInAll how many the workspace has
 * @param problems what is wrong, by the name of the field
 */
public record DeliveryFilterForm(
    List<Choice> endpoints,
    Choice endpoint,
    int endpointsInAll,
    List<Choice> states,
    List<Choice> outcomes,
    String title,
    String captureId,
    String from,
    String to,
    Map<String, String> problems) {
  public DeliveryFilterForm {
    endpoints = List.copyOf(endpoints);
    states = List.copyOf(states);
    outcomes = List.copyOf(outcomes);
    problems = Map.copyOf(problems);
  }

  /** Whether one of the less used filters is set. */
  public boolean isDetailed() {
    return !captureId.isEmpty() || !from.isEmpty() || !to.isEmpty();
  }

  public @Nullable String problem(String field) {
    return problems.get(field);
  }
}
