package io.egress.settings;

import io.egress.platform.environment.Durations;
import io.egress.platform.environment.SettingsReader;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is done about endpoints that fail.
 *
 * @param pauseAfter null if endpoints are never paused automatically
 * @param operator null if nobody is notified
 */
public record FailingSettings(@Nullable Duration pauseAfter, @Nullable OperatorWebhook operator) {
  private static final String URL = "EGRESS_OPERATOR_WEBHOOK_URL";
  private static final String SECRET = "EGRESS_OPERATOR_WEBHOOK_SECRET";

  /** The operator's webhook: its URL and signing secret. */
  public record OperatorWebhook(URI url, String secret) {
    @Override
    public String toString() {
      return "OperatorWebhook[withheld]";
    }
  }

  static FailingSettings read(SettingsReader reader) {
    Duration pauseAfter =
        reader.optional(
            "EGRESS_PAUSE_FAILING_AFTER",
            "how long all attempts to an endpoint may fail before it is paused, such as 5d;"
                + " without it, endpoints are never paused",
            FailingSettings::pauseAfter);
    URI url =
        reader.optional(
            URL,
            "URL of signed webhooks to you, about endpoints that fail and a lost queue",
            FailingSettings::url);
    String secret = reader.optional(SECRET, "signing secret of EGRESS_OPERATOR_WEBHOOK_URL");
    reader.bothOrNeither(URL, SECRET);
    return new FailingSettings(
        pauseAfter, url == null || secret == null ? null : new OperatorWebhook(url, secret));
  }

  private static Duration pauseAfter(String text) {
    Duration duration = Durations.parse(text);
    if (duration.isZero()) {
      throw new IllegalArgumentException("must be longer than 0");
    }
    return duration;
  }

  private static URI url(String text) {
    URI url = URI.create(text);
    boolean isHttp = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
    if (!isHttp || url.getHost() == null || url.getUserInfo() != null) {
      throw new IllegalArgumentException("must be a URL such as https://host/path");
    }
    return url;
  }
}
