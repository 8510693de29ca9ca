package io.egress.cli;

import io.egress.platform.http.SafeText;

/**
 * Text for a terminal: without characters that control it, or that hide or turn around what is
 * around them. Titles, names and receivers' answers may contain any.
 */
final class VisibleText {
  private VisibleText() {}

  /** On one line. */
  static String line(String text) {
    return visible(text, false);
  }

  /** Line ends and tabs stay. */
  static String lines(String text) {
    return visible(text, true);
  }

  /** The same JSON, with escapes. */
  static String json(String json) {
    StringBuilder visible = new StringBuilder(json.length());
    for (int i = 0; i < json.length(); i += Character.charCount(json.codePointAt(i))) {
      String character = Character.toString(json.codePointAt(i));
      if (isVisible(json, i, true)) {
        visible.append(character);
      } else {
        character.chars().forEach(each -> visible.append("\\u%04x".formatted(each)));
      }
    }
    return visible.toString();
  }

  /** A space in place of each row of invisible characters. */
  private static String visible(String text, boolean hasLines) {
    StringBuilder visible = new StringBuilder(text.length());
    boolean wasVisible = true;
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      boolean isVisible = isVisible(text, i, hasLines);
      if (isVisible) {
        visible.appendCodePoint(text.codePointAt(i));
      } else if (wasVisible) {
        visible.append(' ');
      }
      wasVisible = isVisible;
    }
    return visible.toString();
  }

  private static boolean isVisible(String text, int index, boolean hasLines) {
    int character = text.codePointAt(index);
    return switch (character) {
      case '\n', '\t' -> hasLines;
      case '\r' -> hasLines && text.startsWith("\n", index + 1);
      default -> SafeText.isVisible(character);
    };
  }
}
