package io.egress.settings;

import io.egress.platform.environment.SettingsReader;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of the settings page, and the origins that may embed it.
 *
 * @param url without a trailing slash; null for the internal listener on the loopback address
 */
public record PortalSettings(@Nullable URI url, List<String> ancestors) {
  private static final Pattern ORIGIN =
      Pattern.compile("https?://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?");
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");
  private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._~-]+)*");

  public PortalSettings {
    ancestors = List.copyOf(ancestors);
  }

  static PortalSettings read(SettingsReader reader) {
    PortalSettings settings =
        new PortalSettings(
            reader.optional(
                "EGRESS_PORTAL_URL",
                "URL of the internal listener for browsers, such as https://egress.example.com;"
                    + " without it, http://127.0.0.1 and the listener's port",
                PortalSettings::parseUrl),
            reader.parsed(
                "EGRESS_PORTAL_ANCESTORS",
                "",
                "origins whose pages may embed the settings page, such as"
                    + " https://app.example.com,https://admin.example.com",
                PortalSettings::parseAncestors));
    if (!settings.ancestors.isEmpty() && !settings.keepsSecureCookies()) {
      reader.fault("EGRESS_PORTAL_ANCESTORS: embedding requires an https EGRESS_PORTAL_URL");
    }
    return settings;
  }

  /** Browsers accept a secure cookie over plain HTTP from the loopback address only. */
  private boolean keepsSecureCookies() {
    return url == null || url.getScheme().equals("https") || LOOPBACK.contains(url.getHost());
  }

  private static URI parseUrl(String text) {
    String stripped = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    URI url = URI.create(stripped);
    boolean isHttp = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
    if (!isHttp
        || url.getHost() == null
        || url.getRawUserInfo() != null
        || url.getRawQuery() != null
        || url.getRawFragment() != null
        || !PATH.matcher(url.getRawPath()).matches()) {
      throw new IllegalArgumentException(
          "must be an http or https URL of host, port and path, such as"
              + " https://egress.example.com");
    }
    return url;
  }

  private static List<String> parseAncestors(String text) {
    List<String> origins =
        Arrays.stream(text.split(",", -1))
            .map(String::strip)
            .filter(each -> !each.isEmpty())
            .toList();
    origins.stream()
        .filter(each -> !ORIGIN.matcher(each).matches())
        .findFirst()
        .ifPresent(wrong -> {
          throw new IllegalArgumentException(
              "must be origins such as https://app.example.com, not \"" + wrong + "\"");
        });
    return origins;
  }
}
