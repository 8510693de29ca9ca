package io.egress.platform.http;

import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses ids in paths. {@link UUID#fromString} alone also accepts abbreviated forms. */
public final class PathIds {
  private static final Pattern FORM =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private PathIds() {}

  public static Optional<UUID> uuid(@Nullable String text) {
    return text != null && FORM.matcher(text).matches()
        ? Optional.of(UUID.fromString(text))
        : Optional.empty();
  }
}
