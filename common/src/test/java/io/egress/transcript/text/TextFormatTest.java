package io.egress.transcript.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Captures as text and captions, whatever somebody says or is called. */
class TextFormatTest {
  private final JsonArray segments = new JsonArray();
  private final JsonObject capture =
      new JsonObject()
          .put("id", "0f8fad5b-d9cb-469f-a165-70867728950e")
          .put("workspace_id", "5a0d4c6e-6f0b-4a55-8f39-2b7d1c1a9e10")
          .put("title", "Planning the move")
          .put("summary", "What goes first.")
          .put("transcript_text", "Ada: Shall we start?\nS2: Yes.")
          .put("started_at", "2026-01-31T08:30:00.000Z")
          .put("segments", segments)
          .put("emitted_at", "2026-01-31T10:03:12.345Z");

  @Test
  void plainTextIsTitleSummaryAndWhoSaidWhat() throws IOException {
    assertThat(as(TextFormat.PLAIN))
        .isEqualTo(
            """
            Planning the move

            What goes first.

            Ada: Shall we start?
            S2: Yes.
            """);
    capture.put("summary", null).put("transcript_text", "");
    assertThat(as(TextFormat.PLAIN)).isEqualTo("Planning the move\n");
  }

  @Test
  void captionsHaveACueForEachUtterance() throws IOException {
    say(0, 900, "Ada", "Shall we start?");
    say(3_723_004, 3_724_000, null, "Yes.");

    assertThat(as(TextFormat.VTT))
        .isEqualTo(
            """
            WEBVTT

            NOTE
            id: 0f8fad5b-d9cb-469f-a165-70867728950e
            title: Planning the move
            started_at: 2026-01-31T08:30:00.000Z
            emitted_at: 2026-01-31T10:03:12.345Z

            00:00:00.000 --> 00:00:00.900
            <v Ada>Shall we start?

            01:02:03.004 --> 01:02:04.000
            Yes.
            """);
    assertThat(as(TextFormat.SRT))
        .isEqualTo(
            """
            1
            00:00:00,000 --> 00:00:00,900
            Ada:
            Shall we start?

            2
            01:02:03,004 --> 01:02:04,000
            Yes.

            """);
  }

  @Test
  void whatIsSaidCannotEndACueOrBeMarkup() throws IOException {
    say(0, 0, "A<b> & C\n", "one\n\n00:01.000 --> 00:02.000\r\n<i>two</i>\u2028&amp;");
    say(5, 5, "\u0007 ", " \n ");
    capture.put("title", "Planning\n\nthe --> move");

    assertThat(as(TextFormat.VTT))
        .isEqualTo(
            """
            WEBVTT

            NOTE
            id: 0f8fad5b-d9cb-469f-a165-70867728950e
            title: Planning the -> move
            started_at: 2026-01-31T08:30:00.000Z
            emitted_at: 2026-01-31T10:03:12.345Z

            00:00:00.000 --> 00:00:00.001
            <v A&lt;b&gt; &amp; C>one 00:01.000 --&gt; 00:02.000 &lt;i&gt;two&lt;/i&gt; &amp;amp;
            """);
    assertThat(as(TextFormat.SRT).lines())
        .containsExactly(
            "1",
            "00:00:00,000 --> 00:00:00,001",
            "A<b> & C:",
            "one 00:01.000 --> 00:02.000 <i>two</i> &amp;",
            "");
  }

  @Test
  void scriptsAreLeftAsTheyAre() throws IOException {
    say(0, 1, "דנה", "שלום, world 日本 👋🏽");

    assertThat(as(TextFormat.VTT)).contains("<v דנה>שלום, world 日本 👋🏽");
    assertThat(as(TextFormat.SRT)).contains("דנה:\nשלום, world 日本 👋🏽\n");
  }

  @Test
  void aSilentCaptureHasNoCues() throws IOException {
    assertThat(as(TextFormat.VTT)).startsWith("WEBVTT\n\nNOTE\n").doesNotContain("-->");
    assertThat(as(TextFormat.SRT)).isEmpty();
  }

  private void say(long startMs, long endMs, @Nullable String speaker, String text) {
    segments.add(
        new JsonObject()
            .put("start_ms", startMs)
            .put("end_ms", endMs)
            .put("speaker", speaker)
            .put("text", text));
  }

  private String as(TextFormat format) throws IOException {
    return format.of(CaptureDocument.parse(capture.toBuffer().getBytes()));
  }
}
