package io.egress.api.intake;

/** Text from outside, made fit for a message: short and printable. */
final class Shown {
  private static final int CHARS_MAX = 200;
  private static final int QUOTED_CHARS_MAX = 60;

  private Shown() {}

  static String text(String text) {
    return printable(text, CHARS_MAX);
  }

  static String quoted(String text) {
    return '"' + printable(text, QUOTED_CHARS_MAX) + '"';
  }

  private static String printable(String text, int most) {
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < text.length() && i < most; i++) {
      char c = text.charAt(i);
      shown.append(Character.isISOControl(c) || Character.isSurrogate(c) ? '?' : c);
    }
    return text.length() > most ? shown.append("...").toString() : shown.toString();
  }
}
