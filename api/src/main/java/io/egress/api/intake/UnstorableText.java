package io.egress.api.intake;

import org.jspecify.annotations.Nullable;

/** Text that JSON can escape but that neither PostgreSQL nor UTF-8 can carry. */
final class UnstorableText {
  private UnstorableText() {}

  /** What is wrong with {@code text}, or null. */
  static @Nullable String problemOf(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0) {
        return "must not contain the character U+0000";
      }
      if (Character.isSurrogate(c)) {
        if (Character.isLowSurrogate(c)
            || i + 1 == text.length()
            || !Character.isLowSurrogate(text.charAt(i + 1))) {
          return "must not contain an unpaired surrogate (U+%04X)".formatted((int) c);
        }
        i++;
      }
    }
    return null;
  }
}
