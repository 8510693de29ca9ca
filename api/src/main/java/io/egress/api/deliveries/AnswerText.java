package io.egress.api.deliveries;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The beginning of a receiver's answer as text. */
final class AnswerText {
  private AnswerText() {}

  /**
   * Empty for what is not text in UTF-8. The last character is left out if the beginning ends
   * within it.
   */
  static Optional<String> of(byte[] answer) {
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
