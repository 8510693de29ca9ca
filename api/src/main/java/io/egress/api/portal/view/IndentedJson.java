package io.egress.api.portal.view;

/**
 * Breaks the lines of a JSON text, and changes nothing else: numbers and strings stay as they are.
 */
public final class IndentedJson {
  private static final String INDENT = "  ";

  private final String json;
  private final StringBuilder indented;
  private int depth;
  private int at;

  private IndentedJson(String json) {
    this.json = json;
    this.indented = new StringBuilder(json.length() * 2);
  }

  /** {@code json} is well-formed. */
  public static String of(String json) {
    return new IndentedJson(json).indent();
  }

  private String indent() {
    while (at < json.length()) {
      char next = json.charAt(at);
      switch (next) {
        case '"' -> copyString();
        case '{', '[' -> open(next);
        case '}', ']' -> close(next);
        case ',' -> append(",").breakLine();
        case ':' -> append(": ");
        case ' ', '\t', '\r', '\n' -> at++;
        default -> append(String.valueOf(next));
      }
    }
    return indented.toString();
  }

  private IndentedJson append(String text) {
    indented.append(text);
    at++;
    return this;
  }

  private void breakLine() {
    indented.append('\n').append(INDENT.repeat(depth));
  }

  private void copyString() {
    int start = at++;
    while (json.charAt(at) != '"') {
      at += json.charAt(at) == '\\' ? 2 : 1;
    }
    indented.append(json, start, ++at);
  }

  private void open(char bracket) {
    append(String.valueOf(bracket));
    while (Character.isWhitespace(json.charAt(at))) {
      at++;
    }
    if (json.charAt(at) == '}' || json.charAt(at) == ']') {
      append(String.valueOf(json.charAt(at)));
    } else {
      depth++;
      breakLine();
    }
  }

  private void close(char bracket) {
    depth--;
    breakLine();
    append(String.valueOf(bracket));
  }
}
