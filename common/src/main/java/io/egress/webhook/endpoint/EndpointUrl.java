package io.egress.webhook.endpoint;

import java.net.InetAddress;
import java.util.List;
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

  public boolean secure() {
    return secure;
  }

  /**
   * The reason why the URL can only lead into a private network or to a service that does not speak
   * HTTP, or null. Addresses are checked by {@link AddressPolicy}.
   */
  public @Nullable String refusal(AddressPolicy policy) {
    if (BlockedPorts.contains(port)) {
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
