package io.egress.api.portal.view;

import java.util.List;

/** What a list of deliveries is narrowed down by. */
public record DeliveryFilter(List<Choice> endpoints, List<Choice> states, String captureId) {
  public DeliveryFilter {
    endpoints = List.copyOf(endpoints);
    states = List.copyOf(states);
  }
}
