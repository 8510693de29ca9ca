package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

/**
 * A key or a signing secret that is shown this one time.
 *
 * @param title what was made
 * @param text how it is used
 */
public record ShownSecret(String title, String value, String text) {
  public ShownSecret {
    requireNonNull(title, "title is null");
    requireNonNull(value, "value is null");
    requireNonNull(text, "text is null");
  }

  /** A secret is never printed. */
  @Override
  public String toString() {
    return "ShownSecret[" + title + ", withheld]";
  }
}
