package io.egress.settings;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * What is traced and where spans go.
 *
 * @param otlpUrl of the collector; null where nothing is traced
 * @param sample the share of traces that begin here, from 0 to 1
 * @param toReceivers whether webhooks carry a {@code traceparent}
 */
public record TracingSettings(@Nullable URI otlpUrl, double sample, boolean toReceivers) {
  static TracingSettings read(SettingsReader reader) {
    return new TracingSettings(
        reader.optional(
            "EGRESS_TRACING_OTLP_URL",
            "OpenTelemetry collector that spans are sent to by OTLP over HTTP, as"
                + " http://collector:4318; without one nothing is traced",
            TracingSettings::url),
        reader.parsed(
            "EGRESS_TRACING_SAMPLE",
            "0.01",
            "share of requests, and so of captures, that are traced, from 0 to 1; a caller of the"
                + " internal API that sends a traceparent has decided itself",
            TracingSettings::share),
        reader.flag(
            "EGRESS_TRACING_TO_RECEIVERS",
            false,
            "whether the webhooks of traced captures carry a traceparent to their receivers"));
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
