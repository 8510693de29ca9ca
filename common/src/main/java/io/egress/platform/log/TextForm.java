package io.egress.platform.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import io.egress.platform.log.LineEncoder.Form;
import java.util.List;
import java.util.Locale;
import org.slf4j.event.KeyValuePair;

/**
 * A line for people, with ids after the message. An exception follows on indented lines. Control
 * characters are escaped, so untrusted text cannot look like another event.
 */
final class TextForm implements Form {
  private static final int LENGTH_EXPECTED = 160;
  private static final char LINE_SEPARATOR = 0x2028;
  private static final char PARAGRAPH_SEPARATOR = 0x2029;
  private static final String NEXT_LINE_OF_TRACE = System.lineSeparator() + "    ";

  @Override
  public String write(ILoggingEvent event) {
    StringBuilder line = new StringBuilder(LENGTH_EXPECTED);
    String logger = event.getLoggerName();
    line.append(LineTime.of(event.getInstant()));
    line.append(' ').append(padded(event.getLevel().toString())).append(' ');
    line.append(logger, logger.lastIndexOf('.') + 1, logger.length()).append(' ');
    appendVisible(line, event.getFormattedMessage());
    List<KeyValuePair> pairs = event.getKeyValuePairs();
    if (pairs != null) {
      pairs.forEach(pair -> appendPair(line, pair));
    }
    IThrowableProxy thrown = event.getThrowableProxy();
    if (thrown != null) {
      ThrowableProxyUtil.asString(thrown)
          .lines()
          .forEach(each -> appendVisible(line.append(NEXT_LINE_OF_TRACE), each));
    }
    return line.toString();
  }

  private static String padded(String level) {
    return level.length() < 5 ? level + " " : level;
  }

  private static void appendPair(StringBuilder line, KeyValuePair pair) {
    if (pair.value == null) {
      return;
    }
    String value = pair.value.toString();
    boolean plain = !value.isEmpty() && value.chars().noneMatch(c -> c == ' ' || c == '"');
    line.append(' ').append(pair.key).append('=');
    if (plain) {
      appendVisible(line, value);
    } else {
      appendVisible(line.append('"'), value.replace("\"", "\\\""));
      line.append('"');
    }
  }

  private static void appendVisible(StringBuilder line, String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\n') {
        line.append("\\n");
      } else if (c == '\t') {
        line.append("  ");
      } else if (Character.isISOControl(c) || c == LINE_SEPARATOR || c == PARAGRAPH_SEPARATOR) {
        line.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        line.append(c);
      }
    }
  }
}
