package io.egress.cli.transcript;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** The text of a file. */
final class Texts {
  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private Texts() {}

  /** UTF-8, or UTF-16 with a byte order mark, as editors of captions on Windows write it. */
  static String decode(byte[] file) {
    String text;
    try {
      boolean isWide = file.length > 1 && (file[0] & 0xFF) + (file[1] & 0xFF) == 0xFE + 0xFF;
      text =
          (isWide ? StandardCharsets.UTF_16 : UTF_8)
              .newDecoder()
              .decode(ByteBuffer.wrap(file))
              .toString();
    } catch (CharacterCodingException other) {
      throw new UnreadableTranscript("it is not text in UTF-8");
    }
    return text.isEmpty() || text.charAt(0) != BYTE_ORDER_MARK ? text : text.substring(1);
  }

  /** A space if there is none. */
  static char firstVisible(String text) {
    String visible = text.stripLeading();
    return visible.isEmpty() ? ' ' : visible.charAt(0);
  }

  /** In one line, without spaces at its ends. */
  static String inOneLine(String text) {
    return text.strip().replaceAll("\\s+", " ");
  }
}
