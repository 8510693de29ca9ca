package io.egress.webhook.send;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Headers as text: a line of {@code name: value} for each, or only its name if the value is
 * withheld. Bounded, and without characters that the database cannot hold.
 */
final class HeaderLines {
  private static final int CHARACTERS_MAX = 2_048;

  /** Those of a receiver are credentials for its browsers. */
  private static final Set<String> WITHHELD = Set.of("set-cookie", "set-cookie2");

  private final StringBuilder lines = new StringBuilder();

  /** The headers of a response, without secrets. */
  static String of(Iterable<Map.Entry<String, String>> headers, Redaction redaction) {
    HeaderLines lines = new HeaderLines();
    for (Map.Entry<String, String> header : headers) {
      if (WITHHELD.contains(header.getKey().toLowerCase(Locale.ROOT))) {
        lines.addName(header.getKey());
      } else {
        lines.add(header.getKey(), redaction.in(header.getValue()));
      }
    }
    return lines.toString();
  }

  static List<ShownHeader> parse(String lines) {
    return lines
        .lines()
        .map(line -> line.split(": ", 2))
        .map(parts -> new ShownHeader(parts[0], parts.length < 2 ? null : parts[1]))
        .toList();
  }

  HeaderLines add(String name, String value) {
    return addLine(name + ": " + value);
  }

  HeaderLines addName(String name) {
    return addLine(name);
  }

  /** A line that does not fit is cut off, and the following ones are left out. */
  private HeaderLines addLine(String line) {
    int start = lines.length() + (lines.isEmpty() ? 0 : 1);
    int room = CHARACTERS_MAX - start;
    if (room <= 0) {
      return this;
    }
    if (!lines.isEmpty()) {
      lines.append('\n');
    }
    for (int i = 0; i < Math.min(line.length(), room); i++) {
      char c = line.charAt(i);
      lines.append(Character.isISOControl(c) || Character.isSurrogate(c) ? ' ' : c);
    }
    return this;
  }

  @Override
  public String toString() {
    return lines.toString();
  }
}
