package io.egress.http;

import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a request is called in its answer and in the log: by its caller's name for it if sane. */
final class RequestIds {
  private static final Pattern SANE = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private RequestIds() {}

  static String choose(@Nullable String given) {
    return given != null && SANE.matcher(given).matches() ? given : UUID.randomUUID().toString();
  }
}
