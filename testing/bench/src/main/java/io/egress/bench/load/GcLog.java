package io.egress.bench.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The heap figures from a JVM's GC log. The peak is exact, because the heap only shrinks in a
 * collection, and reading the log costs the process nothing.
 *
 * @param usedMaxMegabytes the most in use, garbage included
 * @param liveMaxMegabytes the most in use after a collection
 * @param liveLastMegabytes in use after the last collection
 */
record GcLog(long usedMaxMegabytes, long liveMaxMegabytes, long liveLastMegabytes) {
  private static final Pattern PAUSE =
      Pattern.compile("Pause (?<kind>\\w+).*?(?<before>\\d+)M->(?<after>\\d+)M\\(\\d+M\\)");

  static GcLog read(Path file) {
    long used = 0;
    long live = 0;
    long last = 0;
    try {
      for (String line : Files.readAllLines(file)) {
        Matcher pause = PAUSE.matcher(line);
        if (pause.find()) {
          last = Long.parseLong(pause.group("after"));
          used = Math.max(used, Long.parseLong(pause.group("before")));
          live = Math.max(live, last);
        }
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return new GcLog(used, live, last);
  }
}
