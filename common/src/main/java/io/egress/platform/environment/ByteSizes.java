package io.egress.platform.environment;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The format of sizes in settings: a whole number of bytes, {@code KiB}, {@code MiB} or {@code
 * GiB}.
 */
public final class ByteSizes {
  private static final Pattern FORM = Pattern.compile("(\\d{1,9})(B|KiB|MiB|GiB)");

  private ByteSizes() {}

  public static long parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "must be a whole number with a unit (B, KiB, MiB or GiB), such as 64MiB, not \""
              + text
              + "\"");
    }
    long amount = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "B" -> amount;
      case "KiB" -> amount << 10;
      case "MiB" -> amount << 20;
      default -> amount << 30;
    };
  }
}
