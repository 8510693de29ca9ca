package io.egress.webhook.endpoint;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses IP addresses in the one form that all programs interpret alike; never uses DNS. */
final class IpLiterals {
  private static final String OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
  private static final Pattern IPV4 = Pattern.compile("(?:" + OCTET + "\\.){3}" + OCTET);
  private static final Pattern IPV6 =
      Pattern.compile("(?!.*[0-9A-Fa-f]{5})[0-9A-Fa-f:]*:(?:[0-9A-Fa-f]{0,4}|" + IPV4 + ")");

  private IpLiterals() {}

  static @Nullable InetAddress parse(String text) {
    InetAddress ipv4 = parseIpv4(text);
    return ipv4 == null ? parseIpv6(text) : ipv4;
  }

  static @Nullable InetAddress parseIpv4(String text) {
    return IPV4.matcher(text).matches() ? address(text) : null;
  }

  /** Without brackets. A v4-mapped address is returned as an IPv4 address. */
  static @Nullable InetAddress parseIpv6(String text) {
    return IPV6.matcher(text).matches() ? address("[" + text + "]") : null;
  }

  /** The canonical form of RFC 5952, without brackets. */
  static String text(InetAddress address) {
    return NetUtil.toAddressString(address);
  }

  /** Text of digits and brackets is never looked up, only parsed or rejected. */
  private static @Nullable InetAddress address(String literal) {
    try {
      return InetAddress.getByName(literal);
    } catch (UnknownHostException notAnAddress) {
      return null;
    }
  }
}
