package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.transcript.text.CaptureDocument;
import io.egress.transcript.text.TextFormat;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Parsers of others find each cue of random captures where it was said. */
@Tag("long")
class CaptionParsersTest {
  private static final int CAPTURES = 200;
  private static final int CUES_MAX = 30;

  /** What breaks captions, and scripts that run the other way. */
  private static final List<String> WORDS =
      List.of(
          "yes",
          "-->",
          "00:01.000 --> 00:02.000",
          "\n\n",
          "\r\n",
          "<v Bob>",
          "&amp;",
          "&lt",
          "<b>",
          "NOTE",
          "WEBVTT",
          "STYLE",
          "1",
          "שלום",
          "مرحبا",
          "日本",
          "👋🏽",
          "é",
          "\u2028",
          "\u200f",
          "{\\an8}",
          "{b}",
          "\\N",
          "\"",
          "</c>",
          " ",
          "\t",
          "\u0085");

  private static final String READ =
      """
      import json, pathlib, sys
      import pysubs2, webvtt
      for file in sorted(pathlib.Path(sys.argv[1]).glob("*.vtt")):
          cues = webvtt.from_string(file.read_text(encoding="utf-8"))
          subtitles = pysubs2.load(str(file.with_suffix(".srt")), encoding="utf-8", format_="srt")
          print(json.dumps([file.stem, [round(cue.start_in_seconds * 1000) // 1000 for cue in cues],
              [each.start // 1000 for each in subtitles], all(cue.text for cue in cues)]))
      """;

  private final Random random = new Random(44);

  @Test
  void findEveryCue(@TempDir Path folder) throws Exception {
    PythonPackages packages =
        PythonPackages.install("captions", "webvtt-py==0.5.1", "pysubs2==1.8.0");
    JsonObject expected = new JsonObject();
    for (int i = 0; i < CAPTURES; i++) {
      JsonArray starts = new JsonArray();
      CaptureDocument capture = capture(starts);
      Files.writeString(folder.resolve(capture.id() + ".vtt"), TextFormat.VTT.of(capture));
      Files.writeString(folder.resolve(capture.id() + ".srt"), TextFormat.SRT.of(capture));
      expected.put(capture.id().toString(), starts);
    }

    Process python =
        new ProcessBuilder(
                packages.environment().resolve("bin/python3").toString(),
                "-c",
                READ,
                folder.toString())
            .redirectErrorStream(true)
            .start();
    List<String> lines = python.inputReader().lines().toList();
    assertThat(python.waitFor(1, TimeUnit.MINUTES)).isTrue();

    assertThat(lines).as(String.join("\n", lines)).hasSize(CAPTURES);
    for (String line : lines) {
      JsonArray found = new JsonArray(line);
      JsonArray starts = expected.getJsonArray(found.getString(0));
      assertThat(found)
          .isEqualTo(new JsonArray().add(found.getString(0)).add(starts).add(starts).add(true));
    }
  }

  /** With the seconds at which something is said added to {@code starts}. */
  private CaptureDocument capture(JsonArray starts) throws Exception {
    JsonArray segments = new JsonArray();
    long ms = 0;
    for (int i = random.nextInt(CUES_MAX); i > 0; i--) {
      ms += random.nextInt(100_000);
      String text = words();
      segments.add(
          new JsonObject()
              .put("start_ms", ms)
              .put("end_ms", ms + random.nextInt(2) * 900L)
              .put("speaker", random.nextInt(4) == 0 ? null : words())
              .put("text", text));
      if (!text.replaceAll("[\\s\u0085\u2028]", "").isEmpty()) {
        starts.add((int) (ms / 1_000));
      }
    }
    JsonObject capture =
        new JsonObject()
            .put("id", UUID.randomUUID().toString())
            .put("workspace_id", UUID.randomUUID().toString())
            .put("title", words())
            .put("started_at", "2026-01-31T08:30:00.000Z")
            .put("emitted_at", "2026-01-31T10:03:12.345Z")
            .put("segments", segments);
    return CaptureDocument.parse(capture.toBuffer().getBytes());
  }

  private String words() {
    StringBuilder words = new StringBuilder();
    for (int i = 1 + random.nextInt(6); i > 0; i--) {
      words.append(WORDS.get(random.nextInt(WORDS.size()))).append(random.nextBoolean() ? " " : "");
    }
    return words.toString();
  }
}
