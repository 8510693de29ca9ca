package io.egress.cli.mirror;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.transcript.text.CaptureDocument;
import io.egress.transcript.text.TextFormat;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Captures as Markdown, with what somebody may call a talk, a room or a person. */
class MarkdownTranscriptTest {
  private static final String ID = "0f8fad5b-d9cb-469f-a165-70867728950e";

  private final JsonObject capture =
      new JsonObject()
          .put("id", ID)
          .put("workspace_id", "5a0d4c6e-6f0b-4a55-8f39-2b7d1c1a9e10")
          .put("title", "Planning the move")
          .put("summary", "What goes first.\n\nWho helps.")
          .put("started_at", "2026-01-31T08:30:00.000Z")
          .put("ended_at", "2026-01-31T09:45:00.000Z")
          .put("device", new JsonObject().put("id", ID).put("name", "Kitchen"))
          .put(
              "participants",
              new JsonArray()
                  .add(new JsonObject().put("label", "S1").put("name", "Ada Fischer"))
                  .add(new JsonObject().put("label", "S2").put("name", null)))
          .put(
              "segments",
              new JsonArray()
                  .add(segment(12_000, "Ada Fischer", "Shall we start?"))
                  .add(segment(13_000, "Ada Fischer", " With the shelf.\n"))
                  .add(segment(14_000, "S2", "Yes."))
                  .add(segment(15_000, null, "…"))
                  .add(segment(3_723_000, "Ada Fischer", "Done."))
                  .add(segment(3_724_000, "S2", " ")))
          .put("emitted_at", "2026-01-31T10:03:12.345Z");

  @Test
  void showsWhatWasSaidByWhomAndWhen() throws Exception {
    assertThat(markdown())
        .isEqualTo(
            """
            ---
            id: 0f8fad5b-d9cb-469f-a165-70867728950e
            title: "Planning the move"
            started_at: 2026-01-31T08:30:00.000Z
            ended_at: 2026-01-31T09:45:00.000Z
            device: "Kitchen"
            members: ["Ada Fischer"]
            emitted_at: 2026-01-31T10:03:12.345Z
            ---

            # Planning the move

            - **When:** 2026-01-31 08:30 to 09:45 UTC
            - **Where:** Kitchen
            - **Who:** Ada Fischer, S2

            What goes first.

            Who helps.

            **Ada Fischer** 00:12 — Shall we start? With the shelf.

            **S2** 00:14 — Yes.

            **Unknown speaker** 00:15 — …

            **Ada Fischer** 1:02:03 — Done.
            """);
  }

  @Test
  void leavesOutWhatIsNotKnown() throws Exception {
    capture.put("summary", null).put("ended_at", null).put("participants", new JsonArray());
    capture.put("device", new JsonObject().put("id", ID).put("name", null));
    capture.put("segments", new JsonArray());

    assertThat(markdown())
        .contains("ended_at: null\ndevice: null\nmembers: []\n")
        .endsWith("# Planning the move\n\n- **When:** 2026-01-31 08:30 UTC\n");
  }

  @Test
  void aTalkOverMidnightHasBothDays() throws Exception {
    capture.put("ended_at", "2026-02-01T00:10:00Z");
    assertThat(markdown()).contains("2026-01-31 08:30 to 2026-02-01 00:10 UTC");
  }

  @Test
  void hostileTextRemainsText() throws Exception {
    String hostile =
        "a\n---\nid: \"x\"\r\n# *b* _c_ `d` <script> [e](f) | {{ g }} \\ &amp; $h$ \u0000\u2028i\u0085j";
    capture.put("title", hostile).put("summary", "---\n- a\n1. b\n    c\n===\n> d\n+ e\n#f\n2) g");
    capture.put("device", new JsonObject().put("id", ID).put("name", hostile));
    capture.put(
        "participants",
        new JsonArray().add(new JsonObject().put("label", "S1").put("name", hostile)));
    capture.put("segments", new JsonArray().add(segment(0, hostile, hostile)));
    String escaped =
        "a --- id: \"x\" \\# \\*b\\* \\_c\\_ \\`d\\` \\<script\\> \\[e\\](f) \\| \\{\\{ g \\}\\} \\\\ \\&amp; \\$h\\$ i j";

    String text = markdown();

    List<String> lines = text.lines().toList();
    assertThat(lines.stream().filter("---"::equals)).hasSize(2);
    assertThat(lines.subList(0, 9)).allMatch(line -> line.matches("---|[a-z_]+: .*"));
    assertThat(lines.get(2))
        .isEqualTo(
            "title: \"a\\u000a---\\u000aid: \\\"x\\\"\\u000d\\u000a# *b* _c_ `d` <script> [e](f) | {{ g }} \\\\ &amp; $h$ \\u0000\\u2028i\\u0085j\"");
    assertThat(lines)
        .contains(
            "# " + escaped,
            "- **Where:** " + escaped,
            "- **Who:** " + escaped,
            "**" + escaped + "** 00:00 — " + escaped);
    assertThat(text).contains("\n\\---\n\\- a\n1\\. b\nc\n\\===\n\\> d\n\\+ e\n\\#f\n2\\) g\n");
    MirrorFormat.Copy copy = MirrorFormat.MARKDOWN.describe(text.getBytes(UTF_8));
    assertThat(copy.id()).hasToString(ID);
    assertThat(copy.emittedAt()).isEqualTo("2026-01-31T10:03:12.345Z");
  }

  @ParameterizedTest
  @ValueSource(strings = {"שיחה על המעבר", "\u202eمحادثة\u202c (2)", "引っ越し", "🏡 Zoë"})
  void otherScriptsAreLeftAlone(String title) throws Exception {
    capture.put("title", title);
    assertThat(markdown()).contains("title: \"" + title + "\"\n", "# " + title + "\n");
  }

  @ParameterizedTest
  @CsvSource({
    "id, ../../../etc/passwd",
    "id, 1-1-1-1-1",
    "id,",
    "workspace_id, .",
    "started_at, 2026/01/02",
    "started_at, +10000-01-01T00:00:00Z",
    "started_at, -0001-01-01T00:00:00Z",
    "emitted_at, \"a\""
  })
  void whatCannotBeAPlaceIsRefused(String field, @Nullable String value) {
    capture.put(field, value);
    assertThatThrownBy(this::markdown).isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @CsvSource({"MARKDOWN", "JSON"})
  void copiesOfDifferentTimesSayTheSame(MirrorFormat format) throws Exception {
    byte[] one = format.render(document());
    byte[] later = format.render(with("emitted_at", "2026-02-01T00:00:00.000Z"));
    byte[] changed = format.render(with("title", "Moving"));

    assertThat(format.sayTheSame(one, later)).isTrue();
    assertThat(format.sayTheSame(one, changed)).isFalse();
    assertThat(format.describe(one).emittedAt()).isEqualTo("2026-01-31T10:03:12.345Z");
    assertThat(format.describe(one).day()).isEqualTo("2026-01-31");
  }

  private CaptureDocument with(String field, String value) throws IOException {
    capture.put(field, value);
    return document();
  }

  private String markdown() throws IOException {
    return TextFormat.MARKDOWN.of(document());
  }

  private CaptureDocument document() throws IOException {
    return CaptureDocument.parse(capture.toBuffer().getBytes());
  }

  private static JsonObject segment(long startMs, @Nullable String speaker, String text) {
    return new JsonObject()
        .put("start_ms", startMs)
        .put("end_ms", startMs + 900)
        .put("speaker", speaker)
        .put("text", text);
  }
}
