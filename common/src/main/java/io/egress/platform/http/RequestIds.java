package io.egress.platform.http;

import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The id of a request in its response and in the log: the client's own id, if it is valid. */
final class RequestIds {
  private static final Pattern SANE = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private RequestIds() {}

  static String choose(@Nullable String given) {
    return given != null && SANE.matcher(given).matches() ? given : UUID.randomUUID().toString();
  }
}
