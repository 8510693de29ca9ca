package io.egress.webhook.send;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.webhook.endpoint.CidrBlock;
import io.egress.webhook.endpoint.EndpointUrl;
import io.vertx.core.net.ProxyOptions;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP proxy through which webhooks leave the operator's network, and what is reached without
 * it. It gets {@code CONNECT} with an address, never with a name, so that it cannot resolve the
 * name to another address than the one that was checked. Its own address is the operator's choice
 * and needs no check.
 */
public final class ForwardProxy {
  private static final String FORM = "must be http://host:port or http://user:password@host:port";
  private static final Pattern DOMAIN =
      Pattern.compile("\\.?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*");

  /**
   * What is reached without the proxy.
   *
   * @param domains lower-case names, each of which includes the names below it
   */
  public record Direct(List<CidrBlock> networks, List<String> domains) {
    public static final Direct NOTHING = new Direct(List.of(), List.of());

    public Direct {
      networks = List.copyOf(networks);
      domains = List.copyOf(domains);
    }

    /**
     * Comma-separated networks, addresses and names. Throws {@link IllegalArgumentException} with a
     * message for the operator.
     */
    public static Direct parse(String text) {
      List<CidrBlock> networks = new ArrayList<>();
      List<String> domains = new ArrayList<>();
      List<String> entries =
          text.isBlank()
              ? List.of()
              : Arrays.stream(text.split(",", -1)).map(String::strip).toList();
      for (String entry : entries) {
        String name = entry.toLowerCase(Locale.ROOT);
        boolean isAddress = name.matches("[0-9.]+(/.*)?") || name.indexOf(':') >= 0;
        if (!isAddress && DOMAIN.matcher(name).matches()) {
          domains.add(name.startsWith(".") ? name.substring(1) : name);
        } else if (isAddress) {
          networks.add(CidrBlock.parse(entry));
        } else {
          throw new IllegalArgumentException(
              "must be host names, IP addresses and blocks such as 10.0.0.0/8, without ports and"
                  + " wildcards, not \""
                  + entry
                  + "\"");
        }
      }
      return new Direct(networks, domains);
    }

    boolean includes(String host, InetAddress address) {
      return networks.stream().anyMatch(network -> network.contains(address))
          || domains.stream().anyMatch(name -> host.equals(name) || host.endsWith("." + name));
    }
  }

  private final String host;
  private final int port;
  private final @Nullable String user;
  private final @Nullable String password;
  private final Direct direct;

  private ForwardProxy(
      String host, int port, @Nullable String user, @Nullable String password, Direct direct) {
    this.host = host;
    this.port = port;
    this.user = user;
    this.password = password;
    this.direct = direct;
  }

  /** Throws {@link IllegalArgumentException} that never shows a password. */
  public static ForwardProxy parse(String text) {
    URI url;
    try {
      url = new URI(text);
    } catch (URISyntaxException malformed) {
      // Its message would show the password.
      throw new IllegalArgumentException(FORM);
    }
    if ("https".equalsIgnoreCase(url.getScheme())) {
      throw new IllegalArgumentException(
          FORM + ": connections to the proxy itself are not encrypted");
    }
    String path = url.getRawPath();
    boolean isProxy =
        "http".equalsIgnoreCase(url.getScheme())
            && url.getHost() != null
            && url.getPort() > 0
            && url.getPort() <= 65_535
            && (path == null || path.isEmpty() || path.equals("/"))
            && url.getRawQuery() == null
            && url.getRawFragment() == null;
    if (!isProxy) {
      throw new IllegalArgumentException(FORM);
    }
    String account = url.getRawUserInfo();
    int colon = account == null ? -1 : account.indexOf(':');
    if (account != null && colon < 1) {
      throw new IllegalArgumentException(FORM + ": a user needs a password");
    }
    return new ForwardProxy(
        url.getHost().replaceAll("[\\[\\]]", ""),
        url.getPort(),
        account == null ? null : decoded(account.substring(0, colon)),
        account == null ? null : decoded(account.substring(colon + 1)),
        Direct.NOTHING);
  }

  public ForwardProxy except(Direct reachedDirectly) {
    return new ForwardProxy(host, port, user, password, reachedDirectly);
  }

  boolean leadsTo(EndpointUrl url, InetAddress address) {
    return !direct.includes(url.host(), address);
  }

  ProxyOptions options(Duration connectTimeout) {
    ProxyOptions options =
        new ProxyOptions().setHost(host).setPort(port).setConnectTimeout(connectTimeout);
    return user == null ? options : options.setUsername(user).setPassword(password);
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
    } catch (IllegalArgumentException notEncoded) {
      throw new IllegalArgumentException(FORM);
    }
  }

  /** Without user and password. */
  @Override
  public String toString() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}
