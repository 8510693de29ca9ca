package io.egress.transcript.text;

import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Text in Markdown that shows exactly what it says, whoever wrote it. Right-to-left text is left as
 * it is.
 */
final class MarkdownText {
  /** Braces are for templates of site generators, dollars for formulas. */
  private static final Pattern SYNTAX = Pattern.compile("[\\\\`*_{}\\[\\]<>#|~&$]");

  /** What makes a list, a rule, a quote or a heading of a line. */
  private static final Pattern LINE_START = Pattern.compile("^(\\d{1,9})?([-+=.)])");

  private static final Pattern LINE_BREAK = Pattern.compile("\\R");

  private MarkdownText() {}

  /** In one line. */
  static String inline(String text) {
    return SYNTAX.matcher(TextLine.of(text)).replaceAll("\\\\$0");
  }

  /** Keeps line breaks and empty lines. */
  static String paragraphs(String text) {
    return LINE_BREAK
        .splitAsStream(text.strip())
        .map(line -> LINE_START.matcher(inline(line)).replaceFirst("$1\\\\$2"))
        .collect(Collectors.joining("\n"));
  }

  /** As a double-quoted scalar of YAML, in one line. */
  static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (isPlain(c)) {
        quoted.append(c);
      } else {
        quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      }
    }
    return quoted.append('"').toString();
  }

  /** What YAML takes as it is, on one line. */
  private static boolean isPlain(char c) {
    return !Character.isISOControl(c)
        && c != '\u2028'
        && c != '\u2029'
        && c != '\ufeff'
        && c != '\ufffe'
        && c != '\uffff';
  }
}
