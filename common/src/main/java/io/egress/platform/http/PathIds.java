package io.egress.platform.http;

import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Parses ids in paths. {@link UUID#fromString} alone also accepts abbreviated forms. */
public final class PathIds {
  private static final String FORM = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

  private PathIds() {}

  public static Optional<UUID> uuid(@Nullable String text) {
    return text != null && hasForm(text) ? Optional.of(UUID.fromString(text)) : Optional.empty();
  }

  private static boolean hasForm(String text) {
    if (text.length() != FORM.length()) {
      return false;
    }
    for (int i = 0; i < FORM.length(); i++) {
      char c = text.charAt(i);
      if (FORM.charAt(i) == '-' ? c != '-' : !HexFormat.isHexDigit(c)) {
        return false;
      }
    }
    return true;
  }
}
