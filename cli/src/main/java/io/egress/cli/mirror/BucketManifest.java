package io.egress.cli.mirror;

import static java.util.Objects.requireNonNull;

import io.egress.transcript.text.CaptureDocument;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * What a bucket knows of its mirror, besides the names of the copies. It says nothing of what
 * captures contain.
 *
 * @param writer the number in the names of copies that are written now
 * @param holder the run that saved it last
 * @param saves how often it was saved, which makes each different from all others
 * @param running false if the holder has ended, and all its requests with it
 * @param ended when the number of a run that had not ended was taken from it, by the bucket's clock
 * @param erasing names of copies that are to be erased, of which something is left
 */
record BucketManifest(
    MirrorState mirror,
    long writer,
    UUID holder,
    long saves,
    boolean running,
    SortedMap<Long, Instant> ended,
    SortedSet<String> erasing) {
  static final String NAME = ".egress-mirror/manifest.json";

  /** Of runs that were cut off; nothing of an earlier one arrives any more. */
  private static final int ENDED_MAX = 1000;

  static BucketManifest initial(MirrorFormat format, UUID holder) {
    return new BucketManifest(
        MirrorState.initial(format), 1, holder, 1, true, new TreeMap<>(), new TreeSet<>());
  }

  /** Takes it over from a run that has ended, or was cut off, or still runs. */
  BucketManifest claimedBy(UUID run) {
    return new BucketManifest(
        mirror, running ? writer + 1 : writer, run, saves + 1, true, ended, erasing);
  }

  /** With the time of {@link #claimedBy} for all numbers of which none is known. */
  BucketManifest claimedAt(Instant time) {
    SortedMap<Long, Instant> times = new TreeMap<>(ended);
    long first = times.isEmpty() ? 1 : times.lastKey() + 1;
    for (long number = first; number < writer; number++) {
      times.put(number, time);
    }
    while (times.size() > ENDED_MAX) {
      times.remove(times.firstKey());
    }
    return new BucketManifest(mirror, writer, holder, saves, running, times, erasing);
  }

  BucketManifest next(MirrorState state, SortedSet<String> leftToErase, boolean goesOn) {
    return new BucketManifest(state, writer, holder, saves + 1, goesOn, ended, leftToErase);
  }

  /** Whether a copy was written after its number had been taken from the writer. */
  boolean isLate(long number, Instant written) {
    Instant end = ended.get(number);
    return number < writer && end != null && written.isAfter(end);
  }

  byte[] encode() {
    JsonObject times = new JsonObject();
    ended.forEach((number, time) -> times.put(Long.toString(number), time.toString()));
    return mirror
        .toJson()
        .put("writer", writer)
        .put("holder", holder.toString())
        .put("saves", saves)
        .put("running", running)
        .put("ended", times)
        .put("erasing", new JsonArray(List.copyOf(erasing)))
        .toBuffer()
        .getBytes();
  }

  static BucketManifest parse(byte[] content) throws IOException {
    try {
      JsonObject json = new JsonObject(Buffer.buffer(content));
      if (json.getValue("version") instanceof Integer version && version > MirrorState.VERSION) {
        throw MirrorState.newer(NAME);
      }
      MirrorState mirror = MirrorState.parse(json);
      SortedMap<Long, Instant> ended = new TreeMap<>();
      for (Map.Entry<String, Object> end : json.getJsonObject("ended", new JsonObject())) {
        ended.put(Long.valueOf(end.getKey()), CaptureDocument.time(end.getValue()));
      }
      SortedSet<String> erasing = new TreeSet<>();
      for (Object name : json.getJsonArray("erasing", new JsonArray())) {
        erasing.add((String) name);
      }
      return new BucketManifest(
          mirror,
          requireNonNull(json.getLong("writer")),
          CaptureDocument.id(json.getValue("holder")),
          requireNonNull(json.getLong("saves")),
          requireNonNull(json.getBoolean("running")),
          ended,
          erasing);
    } catch (DecodeException
        | ClassCastException
        | NullPointerException
        | NumberFormatException broken) {
      throw new IOException("not a manifest", broken);
    }
  }
}
