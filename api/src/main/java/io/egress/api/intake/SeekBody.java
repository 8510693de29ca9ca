package io.egress.api.intake;

import io.egress.transcript.stream.Feed;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The bodies of calls that move the cursor of an endpoint. */
public final class SeekBody {
  /**
   * Where an endpoint goes on; at the end if no place is given.
   *
   * @param fromPosition the first position
   * @param from when what is sent entered the stream at the earliest
   */
  public record Seek(Feed feed, @Nullable Long fromPosition, @Nullable Instant from) {}

  /** Which capture is passed, and why. */
  public record Skip(UUID captureId, @Nullable String reason) {}

  private static final int FEED_CHARACTERS_MAX = 20;
  private static final int REASON_CHARACTERS_MAX = 1_000;
  private static final List<String> PLACES = List.of("from_position", "from", "to_end");
  private static final Shape SEEK =
      Shape.of(Stream.concat(Stream.of("feed"), PLACES.stream()).toArray(String[]::new));
  private static final Shape SKIP = Shape.of("capture_id", "reason");

  private SeekBody() {}

  public static Intake<Seek> seek(GivenBody body) {
    return Intake.read(
        body,
        SEEK,
        fields -> {
          Long position = fields.optionalWhole("from_position", 1, Long.MAX_VALUE);
          Instant from = fields.optionalInstant("from");
          boolean toEnd = fields.optionalFlag("to_end", false);
          long given = PLACES.stream().filter(fields::hasValue).count();
          if (given != 1 || (fields.hasValue("to_end") && !toEnd)) {
            fields.faultOfAll("exactly one of from_position, from and to_end (true) is required");
          }
          return new Seek(feed(fields), position, from);
        });
  }

  private static Feed feed(Fields fields) {
    if (!fields.has("feed")) {
      return Feed.CAPTURES;
    }
    Optional<Feed> feed = Feed.find(fields.text("feed", FEED_CHARACTERS_MAX));
    if (feed.isEmpty() && fields.isSound("feed")) {
      fields.fault("feed", "must be captures or changes");
    }
    return feed.orElse(Feed.CAPTURES);
  }

  public static Intake<Skip> skip(GivenBody body) {
    return Intake.read(
        body,
        SKIP,
        fields ->
            new Skip(
                fields.uuid("capture_id"), fields.optionalText("reason", REASON_CHARACTERS_MAX)));
  }
}
