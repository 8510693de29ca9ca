package io.egress.endpoint;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** IP addresses in the one form everybody reads alike; never asks a name server. */
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

  /** Without brackets. A v4-mapped address is given as the IPv4 address that it is. */
  static @Nullable InetAddress parseIpv6(String text) {
    return IPV6.matcher(text).matches() ? address("[" + text + "]") : null;
  }

  /** The canonical form of RFC 5952, without brackets. */
  static String text(InetAddress address) {
    return NetUtil.toAddressString(address);
  }

  /** Digits and brackets are never looked up, only read or refused. */
  private static @Nullable InetAddress address(String literal) {
    try {
      return InetAddress.getByName(literal);
    } catch (UnknownHostException notAnAddress) {
      return null;
    }
  }
}
