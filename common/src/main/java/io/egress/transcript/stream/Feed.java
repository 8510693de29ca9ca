package io.egress.transcript.stream;

import java.util.Locale;
import java.util.Optional;

/** What a reader can follow with a cursor. */
public enum Feed {
  /** The stream: each capture once, in the order in which they entered it. */
  CAPTURES,
  /** What has happened to the captures of the stream since: each once, by its newest change. */
  CHANGES;

  /** The name in paths and in bodies. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public String path() {
    return "/api/v1/" + word();
  }

  public static Feed of(String word) {
    return find(word).orElseThrow(() -> new IllegalArgumentException("no feed is called " + word));
  }

  public static Optional<Feed> find(String word) {
    for (Feed feed : values()) {
      if (feed.word().equals(word)) {
        return Optional.of(feed);
      }
    }
    return Optional.empty();
  }
}
