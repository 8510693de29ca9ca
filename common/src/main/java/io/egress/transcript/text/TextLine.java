package io.egress.transcript.text;

import java.util.regex.Pattern;

/** Text in one line, whatever line breaks and control characters it has. */
final class TextLine {
  private static final Pattern WHITE_SPACE = Pattern.compile("[\\s\\p{Cc}\u0085\u2028\u2029]+");

  private TextLine() {}

  static String of(String text) {
    return WHITE_SPACE.matcher(text).replaceAll(" ").strip();
  }
}
