package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A key or signing secret that is shown only once.
 *
 * @param title what was created
 * @param text how to use it
 * @param standardForm a signing secret as libraries for Standard Webhooks expect it; null if it
 *     does not verify their signature
 * @param publicKeys those that verify it instead
 */
public record ShownSecret(
    String title,
    String value,
    String text,
    @Nullable String standardForm,
    List<String> publicKeys) {
  public ShownSecret {
    requireNonNull(title, "title is null");
    requireNonNull(value, "value is null");
    requireNonNull(text, "text is null");
    publicKeys = List.copyOf(publicKeys);
  }

  /** Secrets are never printed. */
  @Override
  public String toString() {
    return "ShownSecret[" + title + ", withheld]";
  }
}
