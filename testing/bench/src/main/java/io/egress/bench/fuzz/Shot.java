package io.egress.bench.fuzz;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Locale;

/**
 * Bytes sent at once on a connection.
 *
 * @param text one byte per character
 * @param answered whether the service must answer: the bytes are exactly one correctly framed
 *     request
 */
record Shot(String text, boolean answered) {
  private static final int SHOWN_MAX = 4_000;

  byte[] bytes() {
    return text.getBytes(ISO_8859_1);
  }

  boolean mayBeHead() {
    return text.contains("HEAD");
  }

  boolean mayLeaveHttp1() {
    return text.startsWith("PRI") || text.toLowerCase(Locale.ROOT).contains("upgrade");
  }

  String shown() {
    return shown(text);
  }

  /** Escaped as a Java string. */
  static String shown(String text) {
    StringBuilder shown = new StringBuilder();
    for (char c : text.substring(0, Math.min(text.length(), SHOWN_MAX)).toCharArray()) {
      switch (c) {
        case '\r' -> shown.append("\\r");
        case '\n' -> shown.append("\\n");
        case '\\' -> shown.append("\\\\");
        default -> {
          if (c >= 0x20 && c < 0x7f) {
            shown.append(c);
          } else {
            shown.append("\\u%04x".formatted((int) c));
          }
        }
      }
    }
    return text.length() > SHOWN_MAX
        ? shown + " ... (" + text.length() + " bytes)"
        : shown.toString();
  }
}
