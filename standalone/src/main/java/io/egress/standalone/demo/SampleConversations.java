package io.egress.standalone.demo;

import io.egress.transcript.capture.Mode;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Sample conversations; the same seed yields the same ones. */
public final class SampleConversations {
  private static final List<String> WORDS =
      List.of(
          ("so the quarterly numbers look better than we thought but shipping in March depends on whether "
                  + "the supplier answers this week and I would rather not promise anything before that "
                  + "because last time we had to call every customer who had a date in their contract "
                  + "maybe we ask Lena to write down what is decided and what is only a hope then we can "
                  + "send it around tonight could you share the link to the dashboard from yesterday it "
                  + "shows returns by region and I think the trend in the north is a data problem really")
              .split(" "));
  private static final List<String> MEMBERS = List.of("Ada Fischer", "Ben Okafor", "Chiara Rossi");
  private static final List<String> ROOMS = List.of("Room Atlas", "Kitchen", "Room Borealis");
  private static final int WORDS_PER_SEGMENT = 18;

  private final Random random;
  private final UUID workspaceId;

  public SampleConversations(long seed, UUID workspaceId) {
    this.random = new Random(seed);
    this.workspaceId = workspaceId;
  }

  /** A body for the completion hook with so many segments. */
  public JsonObject next(int count) {
    Instant start = Instant.now().truncatedTo(ChronoUnit.SECONDS).minus(Duration.ofMinutes(30));
    JsonArray segments = new JsonArray();
    long at = 0;
    for (int i = 0; i < count; i++) {
      long length = 800L + random.nextInt(6_000);
      segments.add(
          new JsonObject()
              .put("start_ms", at)
              .put("end_ms", at + length)
              .put("speaker", speaker())
              .put("text", sentence()));
      at += length + random.nextInt(900);
    }
    int room = random.nextInt(ROOMS.size());
    return new JsonObject()
        .put("workspace_id", workspaceId.toString())
        .put("mode", (random.nextInt(4) == 0 ? Mode.MANUAL : Mode.AMBIENT).wireName())
        .put("title", "Talk about " + words(2))
        .put("summary", sentence())
        .put("started_at", start)
        .put("ended_at", start.plusMillis(at))
        .put("duration_ms", at)
        .put("device", new JsonObject().put("id", id("device" + room)).put("name", ROOMS.get(room)))
        .put("participants", participants())
        .put("segments", segments);
  }

  private JsonArray participants() {
    JsonArray participants = new JsonArray();
    for (int i = 0; i < MEMBERS.size(); i++) {
      String name = MEMBERS.get(i);
      participants.add(
          new JsonObject()
              .put("label", "S" + i)
              .put(
                  "member",
                  new JsonObject()
                      .put("id", id(name))
                      .put("name", name)
                      .put("email", name.substring(0, 3).toLowerCase(Locale.ROOT) + "@example.com"))
              .put("match_confidence", 0.8 + random.nextInt(20) / 100.0)
              .put("speech_ms", 1_000 + random.nextInt(600_000)));
    }
    participants.add(
        new JsonObject().put("label", "S3").putNull("member").put("speech_ms", 12_000));
    return participants;
  }

  private @Nullable String speaker() {
    int speaker = random.nextInt(5);
    return speaker == 4 ? null : "S" + speaker;
  }

  private String sentence() {
    String words = words(4 + random.nextInt(2 * WORDS_PER_SEGMENT));
    return Character.toUpperCase(words.charAt(0)) + words.substring(1) + ".";
  }

  private String words(int count) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(i == 0 ? "" : " ").append(WORDS.get(random.nextInt(WORDS.size())));
    }
    return text.toString();
  }

  private static String id(String name) {
    return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
  }
}
