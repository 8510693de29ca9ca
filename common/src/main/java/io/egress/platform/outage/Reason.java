package io.egress.platform.outage;

import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/** Why something failed, for operators: without names of classes. */
public final class Reason {
  /** {@code java.net.ConnectException: }, as in messages that quote other exceptions. */
  private static final Pattern CLASS_NAME =
      Pattern.compile("\\b(?:[a-z_]\\w*\\.){2,}(?:[A-Z]\\w*[.$])*[A-Z]\\w*(?:: ?)?");

  private Reason() {}

  public static String of(Throwable failure) {
    if (failure instanceof TimeoutException) {
      return "no answer in time";
    }
    if (failure instanceof ClosedChannelException) {
      return "the connection was closed";
    }
    String message = failure.getMessage();
    Throwable cause = failure.getCause();
    if (cause != null && (message == null || message.equals(cause.toString()))) {
      return of(cause);
    }
    String words = message == null ? "" : CLASS_NAME.matcher(message).replaceAll("").strip();
    return words.isEmpty() ? words(failure.getClass().getSimpleName()) : words;
  }

  /** {@code not enough replicas} for {@code NotEnoughReplicasException}. */
  private static String words(String name) {
    String words =
        name.replaceAll("(Exception|Error)$", "")
            .replaceAll("(?<=[a-z])(?=[A-Z])", " ")
            .toLowerCase(Locale.ROOT);
    return words.isBlank() ? "unknown reason" : words;
  }
}
