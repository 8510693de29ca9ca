package io.egress.webhook.send;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How a failed attempt is explained to people.
 *
 * @param words what happened, as the end of "Last answer:"
 * @param advice what the owner of the endpoint can do about it
 */
public record FailureText(String words, String advice) {
  private static final Pattern LIMIT = Pattern.compile("within (\\d+) ms");
  private static final Pattern EXPIRED = Pattern.compile("NotAfter: (.+)");

  /** As {@link java.util.Date} is written in the messages of the JDK. */
  private static final DateTimeFormatter JDK_DATE =
      DateTimeFormatter.ofPattern("EEE MMM dd HH:mm:ss zzz yyyy", Locale.US);

  public static FailureText of(
      FailureKind kind, @Nullable Integer status, @Nullable String detail) {
    String given = detail == null ? "" : detail;
    return switch (kind) {
      case STATUS ->
          status == null ? new FailureText("answered with an error", byClass(0)) : answered(status);
      case TIMEOUT ->
          new FailureText(
              "no answer" + limit(given),
              "The receiver has to answer at once and work afterwards. If it never gets the"
                  + " request, a firewall may drop it.");
      case DNS ->
          new FailureText(
              "host name not found", "Correct the host in the URL, or its record in the DNS.");
      case CONNECT -> notConnected(given);
      case TLS -> tls(given);
      case RESET ->
          new FailureText(
              "connection closed without an answer",
              "The receiver, or a proxy in front of it, closes the connection: its log says why.");
      case BLOCKED_ADDRESS ->
          new FailureText(
              "address not allowed",
              "Webhooks go to public addresses only, unless the operator allows others.");
      case BAD_RESPONSE ->
          new FailureText("the answer is not HTTP", "Check the port and the scheme of the URL.");
      case PROXY ->
          new FailureText(
              "the service's proxy made no connection",
              "The operator of this service has to look at its proxy.");
      case TOKEN ->
          new FailureText(
              "no access token",
              "The token server has to answer with one: the detail of the attempt says what it did."
                  + " Compare URL, client id and secret of the endpoint's OAuth 2.0 client.");
      case DOCUMENT ->
          new FailureText(
              "the capture is damaged", "It can be sent once the application has put it again.");
    };
  }

  /** For an outcome of the delivery log; empty if it is {@code delivered}. */
  public static Optional<FailureText> of(
      String outcome, @Nullable Integer status, @Nullable String detail) {
    if (outcome.equals(Outcome.Delivered.WORD)) {
      return Optional.empty();
    }
    return FailureKind.find(outcome)
        .map(kind -> of(kind, status, detail))
        .or(() -> Optional.of(ofNewerRelease(outcome)));
  }

  /** For a list that shows no more than the outcome. */
  public static String words(String outcome) {
    return of(outcome, null, null).map(FailureText::words).orElse(outcome);
  }

  /** A process of a newer release made the attempt. */
  private static FailureText ofNewerRelease(String outcome) {
    return new FailureText(outcome, "Pages of a newer release of this service say what it means.");
  }

  private static FailureText answered(int status) {
    return new FailureText(
        "answered " + status + reason(status),
        switch (status) {
          case 400, 401, 403 ->
              "The receiver does not accept the signature: compare its secret and that secret's form,"
                  + " look at its clock, and let it verify the raw body.";
          case 404, 405 -> "Nothing accepts POST at this URL: correct its path.";
          case 410 -> "The receiver says that it is gone for good: pause or delete the endpoint.";
          case 413 -> "The receiver takes only smaller bodies: raise its limit.";
          case 429 -> "The receiver gets more than it can take: set a limit per second.";
          default -> byClass(status);
        });
  }

  /** Earlier releases stored numbers that are no status. */
  private static String reason(int status) {
    String reason = status < 100 ? "(" : HttpResponseStatus.valueOf(status).reasonPhrase();
    return reason.contains("(") ? "" : " " + reason;
  }

  private static String byClass(int status) {
    return switch (status / 100) {
      case 3 -> "Redirects are not followed: set the URL that it leads to.";
      case 4 -> "The receiver refuses what it gets: its log says why.";
      case 5 -> "The receiver has failed, or what is in front of it: its log says why.";
      default -> "Webhooks have to be answered with a status from 200 to 299.";
    };
  }

  private static String limit(String detail) {
    Matcher found = LIMIT.matcher(detail);
    if (!found.find()) {
      return " in time";
    }
    Duration limit = Duration.ofMillis(Long.parseLong(found.group(1)));
    return " within "
        + (limit.toMillisPart() == 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms");
  }

  private static FailureText notConnected(String detail) {
    return detail.toLowerCase(Locale.ROOT).contains("refused")
        ? new FailureText(
            "connection refused", "Nothing listens at this address and port: start the receiver.")
        : new FailureText(
            "no connection",
            "The address cannot be reached: check the host, the port and the firewalls between.");
  }

  private static FailureText tls(String detail) {
    Matcher expired = EXPIRED.matcher(detail);
    if (expired.find()) {
      return new FailureText(
          "certificate expired" + date(expired.group(1)), "Renew the receiver's certificate.");
    }
    if (detail.contains("certification path") || detail.contains("not trusted")) {
      return new FailureText(
          "certificate not trusted",
          "The receiver has to send a certificate of a public authority, with its whole chain.");
    }
    if (detail.contains("subject alternative") || detail.contains("No name matching")) {
      return new FailureText(
          "certificate for another host", "The receiver needs a certificate for the URL's host.");
    }
    return new FailureText(
        "TLS handshake failed", "The receiver's log, or the detail of the attempt, says why.");
  }

  private static String date(String text) {
    try {
      LocalDate day = ZonedDateTime.parse(text.strip(), JDK_DATE).toLocalDate();
      return " on " + day;
    } catch (DateTimeParseException otherForm) {
      return "";
    }
  }
}
