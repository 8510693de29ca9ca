package io.egress.platform.trace;

import io.egress.platform.environment.SettingsReader;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Which requests are traced, and where spans are sent.
 *
 * @param otlpUrl of the collector; null if tracing is off
 * @param sample the share of traces that begin here, from 0 to 1
 * @param toReceivers whether webhooks carry a {@code traceparent}
 */
public record TracingSettings(@Nullable URI otlpUrl, double sample, boolean toReceivers) {
  public static TracingSettings read(SettingsReader reader) {
    return new TracingSettings(
        reader.optional(
            "EGRESS_TRACING_OTLP_URL",
            "URL of an OpenTelemetry collector (OTLP over HTTP), such as http://collector:4318;"
                + " without it, tracing is off",
            TracingSettings::url),
        reader.parsed(
            "EGRESS_TRACING_SAMPLE",
            "0.01",
            "share of requests, and so of captures, to trace, from 0 to 1; callers of the internal"
                + " API that send a traceparent decide themselves",
            TracingSettings::share),
        reader.flag(
            "EGRESS_TRACING_TO_RECEIVERS",
            false,
            "whether webhooks of traced captures carry a traceparent"));
  }

  private static URI url(String text) {
    URI url = URI.create(text);
    boolean isHttp = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
    if (!isHttp
        || url.getHost() == null
        || url.getUserInfo() != null
        || url.getQuery() != null
        || url.getFragment() != null) {
      throw new IllegalArgumentException("must be a URL such as http://collector:4318");
    }
    return url;
  }

  private static double share(String text) {
    double share;
    try {
      share = Double.parseDouble(text);
    } catch (NumberFormatException notANumber) {
      share = Double.NaN;
    }
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("must be a number from 0 to 1, not \"" + text + "\"");
    }
    return share;
  }
}
