package io.egress.transcript.text;

/** What a document can be read as besides JSON. */
public enum TextFormat {
  PLAIN("text", "plain"),
  MARKDOWN("text", "markdown"),
  VTT("text", "vtt"),
  SRT("application", "x-subrip");

  private final String type;
  private final String subtype;

  TextFormat(String type, String subtype) {
    this.type = type;
    this.subtype = subtype;
  }

  /** Such as text. */
  public String type() {
    return type;
  }

  /** Such as markdown. */
  public String subtype() {
    return subtype;
  }

  public String mediaType() {
    return type + "/" + subtype;
  }

  public String of(CaptureDocument capture) {
    return switch (this) {
      case PLAIN -> PlainTranscript.of(capture);
      case MARKDOWN -> MarkdownTranscript.of(capture);
      case VTT -> Captions.vtt(capture);
      case SRT -> Captions.srt(capture);
    };
  }
}
