package io.egress.webhook.endpoint;

import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The URL that webhooks are sent to. Connections use these parsed parts and never the text, so that
 * no second parser can interpret the host differently.
 */
public final class EndpointUrl {
  public static final int MAX_CHARACTERS = 2_048;

  /** Names that RFC 6761, RFC 6762 and ICANN reserve for private use. */
  private static final Pattern LOCAL_NAME =
      Pattern.compile("(?:.*\\.)?(?:localhost|local|internal|localdomain|home\\.arpa)");

  /** The ports that browsers refuse to fetch from (the Fetch standard's list of bad ports). */
  private static final Set<Integer> BLOCKED_PORTS =
      Set.of(
          1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
          102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389,
          427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636,
          989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566,
          6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080);

  static final int HTTPS_PORT = 443;
  static final int HTTP_PORT = 80;

  /** A URL, or everything that is wrong with the text. */
  public sealed interface Parsed {
    record Valid(EndpointUrl url) implements Parsed {}

    record Invalid(List<String> problems) implements Parsed {
      public Invalid {
        problems = List.copyOf(problems);
      }
    }
  }

  private final boolean secure;
  private final String host;
  private final @Nullable InetAddress literalAddress;
  private final int port;
  private final String target;

  EndpointUrl(boolean secure, EndpointHost host, int port, String target) {
    this.secure = secure;
    this.host = host.name();
    this.literalAddress = host.literalAddress();
    this.port = port;
    this.target = target;
  }

  /** Plain {@code http} is a fault unless {@code allowHttp} is true. */
  public static Parsed parse(String text, boolean allowHttp) {
    return new EndpointUrlParser(text, allowHttp).parse();
  }

  /** Whether scheme, host and port of two URLs are the same, that were valid when they were set. */
  public static boolean leadToOneReceiver(String url, String other) {
    return url.equals(other)
        || (parse(url, true) instanceof Parsed.Valid(EndpointUrl one)
            && parse(other, true) instanceof Parsed.Valid(EndpointUrl two)
            && one.secure == two.secure
            && one.host.equals(two.host)
            && one.port == two.port);
  }

  public boolean secure() {
    return secure;
  }

  /**
   * The reason why the URL can only lead into a private network or to a service that does not speak
   * HTTP, or null. Addresses are checked by {@link AddressPolicy}.
   */
  public @Nullable String refusal(AddressPolicy policy) {
    if (BLOCKED_PORTS.contains(port)) {
      return "port " + port + " belongs to another protocol than HTTP";
    }
    return policy.permitsLocalNames() || !LOCAL_NAME.matcher(host).matches()
        ? null
        : host + " is a name of a local network";
  }

  /** A lower-case ASCII name, or an IP address; IPv6 without brackets. */
  public String host() {
    return host;
  }

  /** The address if the host is an IP address, which needs no DNS lookup. */
  public @Nullable InetAddress literalAddress() {
    return literalAddress;
  }

  public int port() {
    return port;
  }

  /** Path and query, as in the request line. */
  public String target() {
    return target;
  }

  /** The host as in the {@code Host} header and in URLs: IPv6 in brackets, without a port. */
  public String bracketedHost() {
    return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof EndpointUrl url && url.toString().equals(toString());
  }

  @Override
  public int hashCode() {
    return toString().hashCode();
  }

  /** The canonical form, which parses to an equal URL. */
  @Override
  public String toString() {
    boolean defaultPort = port == (secure ? HTTPS_PORT : HTTP_PORT);
    return (secure ? "https://" : "http://")
        + bracketedHost()
        + (defaultPort ? "" : ":" + port)
        + target;
  }
}
