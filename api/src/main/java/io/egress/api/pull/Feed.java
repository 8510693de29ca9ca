package io.egress.api.pull;

import java.util.Locale;

/** What a reader can follow with a cursor. */
enum Feed {
  /** The stream: each capture once, in the order in which they entered it. */
  CAPTURES,
  /** What has happened to the captures of the stream since: each once, by its newest change. */
  CHANGES;

  /** The name in paths and in bodies. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  String path() {
    return "/api/v1/" + word();
  }
}
