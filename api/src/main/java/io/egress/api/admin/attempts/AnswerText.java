package io.egress.api.admin.attempts;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The beginning of a receiver's response body as text. */
public final class AnswerText {
  private AnswerText() {}

  /** Empty if the bytes are not UTF-8 text. A character that was cut off at the end is dropped. */
  public static Optional<String> of(byte[] answer) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    CharBuffer text = CharBuffer.allocate(answer.length);
    CoderResult result = decoder.decode(ByteBuffer.wrap(answer), text, false);
    return result.isError() || text.flip().chars().anyMatch(AnswerText::isBinary)
        ? Optional.empty()
        : Optional.of(text.toString());
  }

  private static boolean isBinary(int c) {
    return c < ' ' && c != '\n' && c != '\r' && c != '\t';
  }
}
