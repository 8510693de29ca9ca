package io.egress.platform.http;

/** Makes untrusted text safe for messages: shortens it and escapes invisible characters. */
public final class SafeText {
  private static final int CODE_POINTS_MAX = 60;

  private SafeText() {}

  public static String quoted(String text) {
    return '"' + plain(text) + '"';
  }

  public static String plain(String text) {
    StringBuilder shown = new StringBuilder();
    int next = 0;
    for (int count = 0; next < text.length() && count < CODE_POINTS_MAX; count++) {
      int codePoint = text.codePointAt(next);
      append(shown, codePoint);
      next += Character.charCount(codePoint);
    }
    return next < text.length() ? shown.append("...").toString() : shown.toString();
  }

  private static void append(StringBuilder shown, int codePoint) {
    if (codePoint == '"' || codePoint == '\\') {
      shown.append('\\').appendCodePoint(codePoint);
    } else if (isVisible(codePoint)) {
      shown.appendCodePoint(codePoint);
    } else {
      shown.append("\\u{%x}".formatted(codePoint));
    }
  }

  /** Whether a reader sees it, or that there is a space. */
  public static boolean isVisible(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
