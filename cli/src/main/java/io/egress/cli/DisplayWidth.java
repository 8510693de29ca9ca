package io.egress.cli;

/** The columns that a text takes in a terminal, where East Asian characters and emoji take two. */
final class DisplayWidth {
  /** First and last code points of ranges of wide characters. */
  private static final int[][] WIDE = {
    {0x1100, 0x115f},
    {0x2e80, 0x303e},
    {0x3041, 0x33ff},
    {0x3400, 0x4dbf},
    {0x4e00, 0x9fff},
    {0xa000, 0xa4cf},
    {0xac00, 0xd7a3},
    {0xf900, 0xfaff},
    {0xfe30, 0xfe4f},
    {0xff00, 0xff60},
    {0xffe0, 0xffe6},
    {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff},
    {0x1f900, 0x1f9ff},
    {0x1fa70, 0x1faff},
    {0x20000, 0x3fffd},
  };

  private DisplayWidth() {}

  static int of(String text) {
    return text.codePoints().map(DisplayWidth::of).sum();
  }

  private static int of(int character) {
    int type = Character.getType(character);
    if (type == Character.NON_SPACING_MARK
        || type == Character.ENCLOSING_MARK
        || type == Character.FORMAT) {
      return 0;
    }
    for (int[] range : WIDE) {
      if (character >= range[0] && character <= range[1]) {
        return 2;
      }
    }
    return 1;
  }

  /** The beginning of the text, ending with an ellipsis if it is wider than {@code max}. */
  static String cut(String text, int max) {
    if (of(text) <= max) {
      return text;
    }
    StringBuilder cut = new StringBuilder();
    int width = 0;
    for (int character : text.codePoints().toArray()) {
      width += of(character);
      if (width > max - 1) {
        break;
      }
      cut.appendCodePoint(character);
    }
    return cut + "…";
  }

  /** With spaces at the end. */
  static String padded(String text, int width) {
    return text + " ".repeat(Math.max(0, width - of(text)));
  }
}
