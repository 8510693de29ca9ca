package io.egress.api.portal.view;

import java.util.List;

/** The filters of a list of deliveries. */
public record DeliveryFilter(List<Choice> endpoints, List<Choice> states, String captureId) {
  public DeliveryFilter {
    endpoints = List.copyOf(endpoints);
    states = List.copyOf(states);
  }
}
