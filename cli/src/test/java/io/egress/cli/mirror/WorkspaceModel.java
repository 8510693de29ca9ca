package io.egress.cli.mirror;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.egress.transcript.text.CaptureDocument;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A workspace in memory, with a stream and changes as the service has them. */
final class WorkspaceModel implements CaptureSource {
  private static final List<String> STARTS =
      List.of(
          "2025-12-31T23:59:59.000Z",
          "2026-01-01T00:00:00.000Z",
          "2026-01-31T08:30:00.000Z",
          "2026-02-01T08:30:00.000Z");

  private final Random random;
  private final UUID workspace = UUID.randomUUID();
  private final List<UUID> stream = new ArrayList<>();
  private final Map<UUID, JsonObject> captures = new TreeMap<>();
  private final TreeMap<Integer, UUID> changes = new TreeMap<>();
  private final Map<UUID, Integer> newestChange = new HashMap<>();
  private final Map<UUID, Instant> changedAt = new HashMap<>();
  private Instant now = Instant.parse("2026-11-27T10:00:00Z");
  private int emitted;
  private int history;
  private boolean busy;
  private final List<MirrorFeed> pages = new ArrayList<>();

  WorkspaceModel(Random random) {
    this.random = random;
  }

  /** From now on something may happen before any page. */
  void keepBusy(boolean on) {
    busy = on;
  }

  UUID workspace() {
    return workspace;
  }

  /** Which lists were read, page by page. */
  List<MirrorFeed> pages() {
    return pages;
  }

  UUID enter() {
    UUID id = new UUID(random.nextLong(), random.nextLong());
    stream.add(id);
    captures.put(id, document(id));
    return id;
  }

  void change(UUID id) {
    captures.put(id, document(id));
    changed(id);
  }

  void erase(UUID id) {
    captures.remove(id);
    changed(id);
  }

  private void changed(UUID id) {
    Integer before = newestChange.get(id);
    if (before != null) {
      changes.remove(before);
    }
    int number = newestChange.size() + changes.size() + ++emitted;
    changes.put(number, id);
    newestChange.put(id, number);
    changedAt.put(id, now);
  }

  /** Captures that a reader with this cursor of the stream has seen, and that are still there. */
  Set<UUID> seenWith(@Nullable String cursor) {
    Set<UUID> seen = new TreeSet<>();
    if (cursor != null) {
      stream.subList(0, position(cursor)).stream().filter(captures::containsKey).forEach(seen::add);
    }
    return seen;
  }

  private static int position(String cursor) {
    return Integer.parseInt(cursor.substring(cursor.lastIndexOf('.') + 1));
  }

  /** Restored from a backup: cursors of before are not known, and some captures are gone. */
  void restore() {
    history++;
    List<UUID> lost = stream.subList(stream.size() / 2, stream.size());
    lost.forEach(id -> {
      captures.remove(id);
      changes.values().remove(id);
    });
    lost.clear();
  }

  void pass(Duration time) {
    now = now.plus(time);
  }

  void act() {
    List<UUID> known = List.copyOf(captures.keySet());
    int choice = known.isEmpty() ? 0 : random.nextInt(4);
    switch (choice) {
      case 0, 1 -> enter();
      case 2 -> change(known.get(random.nextInt(known.size())));
      default -> erase(known.get(random.nextInt(known.size())));
    }
    pass(Duration.ofSeconds(random.nextInt(90)));
  }

  private JsonObject document(UUID id) {
    return new JsonObject()
        .put("id", id.toString())
        .put("workspace_id", workspace.toString())
        .put("mode", "ambient")
        .put("title", "Talk " + random.nextInt(1000) + " “今”")
        .put("summary", null)
        .put("started_at", STARTS.get(random.nextInt(STARTS.size())))
        .put("ended_at", null)
        .put("device", new JsonObject().put("id", id.toString()).put("name", null))
        .put("participants", new JsonArray())
        .put(
            "segments",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("start_ms", 0)
                        .put("end_ms", 9)
                        .put("speaker", "S1")
                        .put("text", "Hello.")));
  }

  private String sent(UUID id) {
    pass(Duration.ofMillis(1));
    return requireNonNull(captures.get(id)).copy().put("emitted_at", now.toString()).encode();
  }

  @Override
  public synchronized Page page(MirrorFeed feed, @Nullable String after, int limit, Duration wait)
      throws OtherHistoryException {
    pages.add(feed);
    if (busy && random.nextInt(3) == 0) {
      act();
    }
    if (after != null && !after.startsWith(feed + "." + history + ".")) {
      throw new OtherHistoryException();
    }
    int from = after == null ? 0 : position(after);
    List<String> entries = new ArrayList<>();
    int size = 1 + random.nextInt(Math.min(limit, 4));
    int end = from;
    boolean hasNext;
    if (feed == MirrorFeed.STREAM) {
      for (; end < stream.size() && entries.size() < size; end++) {
        if (captures.containsKey(stream.get(end))) {
          entries.add(sent(stream.get(end)));
        }
      }
      hasNext = stream.subList(end, stream.size()).stream().anyMatch(captures::containsKey);
    } else {
      for (Map.Entry<Integer, UUID> change : changes.tailMap(from, false).entrySet()) {
        if (entries.size() < size) {
          entries.add(change(change.getKey(), change.getValue()));
          end = change.getKey();
        }
      }
      hasNext = !changes.tailMap(end, false).isEmpty();
    }
    String cursor = entries.isEmpty() ? "null" : "\"" + feed + "." + history + "." + end + "\"";
    String body =
        "{\"%s\":[%s],\"pageInfo\":{\"endCursor\":%s,\"hasNextPage\":%s}}"
            .formatted(
                feed == MirrorFeed.STREAM ? "captures" : "changes",
                String.join(",", entries),
                cursor,
                hasNext && !entries.isEmpty());
    try {
      return Page.parse(body.getBytes(UTF_8));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private String change(int number, UUID id) {
    boolean erased = !captures.containsKey(id);
    return "{\"id\":\"%s\",\"change\":\"%s\",\"revision\":%d,\"capture\":%s}"
        .formatted(id, erased ? "erased" : "updated", number, erased ? "null" : sent(id));
  }

  @Override
  public synchronized Map<UUID, Optional<Instant>> inventory() {
    Map<UUID, Optional<Instant>> all = new TreeMap<>();
    captures.keySet().forEach(id -> all.put(id, Optional.ofNullable(changedAt.get(id))));
    return all;
  }

  @Override
  public synchronized Optional<CaptureDocument> capture(UUID id) {
    try {
      return captures.containsKey(id)
          ? Optional.of(CaptureDocument.parse(sent(id).getBytes(UTF_8)))
          : Optional.empty();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** What a mirror has to have, by path. */
  Map<String, String> files(MirrorFormat format) {
    Map<String, String> files = new TreeMap<>();
    for (UUID id : captures.keySet()) {
      CaptureDocument document = capture(id).orElseThrow();
      files.put(
          document.day().toString().replace('-', '/') + "/" + id + "." + format.extension(),
          withoutEmission(new String(format.render(document), UTF_8)));
    }
    return files;
  }

  static String withoutEmission(String content) {
    return content.replaceFirst("\"?emitted_at.*\n?", "");
  }
}
