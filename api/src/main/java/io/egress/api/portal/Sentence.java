package io.egress.api.portal;

import java.util.Locale;

/** The reason for a refusal as people read it. */
final class Sentence {
  private Sentence() {}

  /** Begins with a capital letter, and ends with one punctuation mark. */
  static String of(String text) {
    return text.substring(0, 1).toUpperCase(Locale.ROOT)
        + text.substring(1)
        + (text.endsWith(".") || text.endsWith("?") ? "" : ".");
  }
}
