package io.egress.api.portal;

import io.egress.api.admin.keys.Readers;
import io.egress.api.portal.view.Times;
import java.time.Instant;

/** How far a key has read, in words. */
final class ReadingText {
  private ReadingText() {}

  static String of(Readers.Place place, Instant now) {
    if (place.state() == Readers.State.AT_END) {
      return "at the end";
    }
    String behind =
        Times.number(place.behind())
            + " behind"
            + (place.oldestAt() == null
                ? ""
                : ", the oldest for " + Times.age(place.oldestAt(), now));
    return switch (place.state()) {
      case AT_END, NEVER -> "has read nothing";
      case READING -> "reading, " + behind;
      case STOPPED -> "stopped, " + behind;
    };
  }
}
