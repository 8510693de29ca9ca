package io.egress.webhook.endpoint;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses an endpoint's URL and collects all faults. */
final class EndpointUrlParser {
  private static final Pattern FORM = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)(.*)");
  private static final Pattern INVISIBLE =
      Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Z}&&[^\\u200c\\u200d]]");
  private static final Pattern TARGET = Pattern.compile("[A-Za-z0-9._~!$&'()*+,;=:@/?\\[\\]|%-]*");
  private static final Pattern BROKEN_ESCAPE = Pattern.compile("%(?![0-9A-Fa-f]{2})");
  private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");
  private static final int MAX_PORT = 65_535;

  private final String text;
  private final boolean allowHttp;
  private final List<String> problems = new ArrayList<>();

  EndpointUrlParser(String text, boolean allowHttp) {
    this.text = text;
    this.allowHttp = allowHttp;
  }

  EndpointUrl.Parsed parse() {
    EndpointUrl url = read();
    return url == null || !problems.isEmpty()
        ? new EndpointUrl.Parsed.Invalid(problems)
        : new EndpointUrl.Parsed.Valid(url);
  }

  private @Nullable EndpointUrl read() {
    if (text.length() > EndpointUrl.MAX_CHARACTERS) {
      problems.add("the URL is longer than " + EndpointUrl.MAX_CHARACTERS + " characters");
      return null;
    }
    if (INVISIBLE.matcher(text).find()) {
      problems.add("the URL has blanks, control or invisible characters");
      return null;
    }
    var parts = FORM.matcher(text);
    if (!parts.matches()) {
      problems.add("the URL must have the form https://host/path");
      return null;
    }
    boolean secure = readScheme(parts.group(1).toLowerCase(Locale.ROOT));
    String authority = withoutUserInfo(parts.group(2));
    int colon = authority.indexOf(':', authority.lastIndexOf(']') + 1);
    EndpointHost host = readHost(colon < 0 ? authority : authority.substring(0, colon));
    int port =
        colon < 0
            ? (secure ? EndpointUrl.HTTPS_PORT : EndpointUrl.HTTP_PORT)
            : readPort(authority.substring(colon + 1));
    String target = readTarget(parts.group(3));
    return host == null ? null : new EndpointUrl(secure, host, port, target);
  }

  private boolean readScheme(String scheme) {
    boolean secure = scheme.equals("https");
    if (!secure && !(allowHttp && scheme.equals("http"))) {
      problems.add(
          "the scheme must be " + (allowHttp ? "https or http" : "https") + ", not " + scheme);
    }
    return secure;
  }

  private String withoutUserInfo(String authority) {
    int at = authority.lastIndexOf('@');
    if (at >= 0) {
      problems.add("the URL must not carry a user name or password");
    }
    return authority.substring(at + 1);
  }

  private @Nullable EndpointHost readHost(String host) {
    try {
      return EndpointHost.parse(host);
    } catch (IllegalArgumentException fault) {
      problems.add(String.valueOf(fault.getMessage()));
      return null;
    }
  }

  private int readPort(String port) {
    if (PORT.matcher(port).matches() && Integer.parseInt(port) <= MAX_PORT) {
      return Integer.parseInt(port);
    }
    problems.add("the port must be a whole number from 1 to " + MAX_PORT);
    return 0;
  }

  private String readTarget(String rest) {
    int hash = rest.indexOf('#');
    if (hash >= 0) {
      problems.add("the URL must not have a fragment (#)");
    }
    String target = hash < 0 ? rest : rest.substring(0, hash);
    if (!TARGET.matcher(target).matches() || BROKEN_ESCAPE.matcher(target).find()) {
      problems.add("the path and query must be in ASCII, anything else percent-encoded");
    }
    return target.startsWith("/") ? target : "/" + target;
  }
}
