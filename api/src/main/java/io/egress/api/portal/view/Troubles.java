package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * The banner at the top of every page.
 *
 * @param sentences what is wrong with the service itself; empty if nothing is
 * @param live the path that the banner polls
 */
public record Troubles(List<String> sentences, String live) {
  public Troubles {
    sentences = List.copyOf(sentences);
    requireNonNull(live, "live is null");
  }
}
