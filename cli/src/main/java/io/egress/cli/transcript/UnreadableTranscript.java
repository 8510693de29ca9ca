package io.egress.cli.transcript;

/** A file in which there is no transcript of a format that is known. */
public final class UnreadableTranscript extends RuntimeException {
  private static final long serialVersionUID = 1;

  UnreadableTranscript(String problem) {
    super(problem);
  }
}
