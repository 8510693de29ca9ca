package io.egress.bench.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a JVM's collector wrote of the heap: it knows the exact peak, for nothing falls between its
 * collections, and asking costs the process nothing.
 *
 * @param usedMaxMegabytes the most in use, garbage included
 * @param liveMaxMegabytes the most that a collection left over
 * @param liveLastMegabytes what the last collection left over
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
