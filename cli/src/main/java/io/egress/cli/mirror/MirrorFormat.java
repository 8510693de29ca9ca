package io.egress.cli.mirror;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.transcript.text.CaptureDocument;
import io.egress.transcript.text.TextFormat;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the files of a mirror contain. */
public enum MirrorFormat {
  /** The document byte for byte. */
  JSON("json", "application/json", Pattern.compile("\"emitted_at\":\"[^\"]*\"}\\s*$")) {
    @Override
    byte[] render(CaptureDocument document) {
      return document.bytes().getBytes();
    }

    @Override
    Copy describe(byte[] content) throws IOException {
      CaptureDocument document = CaptureDocument.parse(content);
      return new Copy(document.id(), document.day(), document.emittedAt());
    }
  },

  /** Front matter and the conversation as text. */
  MARKDOWN("md", "text/markdown; charset=utf-8", Pattern.compile("(?<=\n)emitted_at: [^\n]*\n")) {
    @Override
    byte[] render(CaptureDocument document) {
      return TextFormat.MARKDOWN.of(document).getBytes(UTF_8);
    }

    @Override
    Copy describe(byte[] content) throws IOException {
      return described(content, "---\n");
    }
  },

  /** Captions, for a player of the recording. */
  VTT("vtt", "text/vtt; charset=utf-8", Pattern.compile("(?<=\n)emitted_at: [^\n]*\n")) {
    @Override
    byte[] render(CaptureDocument document) {
      return TextFormat.VTT.of(document).getBytes(UTF_8);
    }

    @Override
    Copy describe(byte[] content) throws IOException {
      return described(content, "WEBVTT\n\nNOTE\n");
    }
  };

  /** What a file says of itself. */
  record Copy(UUID id, LocalDate day, Instant emittedAt) {}

  private final String extension;
  private final String mediaType;
  private final Pattern emission;

  MirrorFormat(String extension, String mediaType, Pattern emission) {
    this.extension = extension;
    this.mediaType = mediaType;
    this.emission = emission;
  }

  /** Of the files' names. */
  String extension() {
    return extension;
  }

  String mediaType() {
    return mediaType;
  }

  abstract byte[] render(CaptureDocument document);

  /** Fails for a file that is not what {@link #render} makes. */
  abstract Copy describe(byte[] content) throws IOException;

  /** Whether two files are equal but for {@code emitted_at}. */
  boolean sayTheSame(byte[] one, byte[] other) {
    return withoutEmission(one).equals(withoutEmission(other));
  }

  private String withoutEmission(byte[] content) {
    return emission.matcher(new String(content, ISO_8859_1)).replaceFirst("");
  }

  /** Before the conversation, in front matter or a note. */
  private static Copy described(byte[] content, String start) throws IOException {
    String text = new String(content, UTF_8);
    if (!text.startsWith(start)) {
      throw new IOException("does not begin as a file of this format");
    }
    return new Copy(
        CaptureDocument.id(field(text, "id")),
        CaptureDocument.day(CaptureDocument.time(field(text, "started_at"))),
        CaptureDocument.time(field(text, "emitted_at")));
  }

  /** Values are in one line. */
  private static String field(String text, String name) throws IOException {
    Matcher field = Pattern.compile("\n" + name + ": ([^\n]*)\n").matcher(text);
    if (!field.find()) {
      throw new IOException("no " + name + " before the conversation");
    }
    return field.group(1);
  }
}
