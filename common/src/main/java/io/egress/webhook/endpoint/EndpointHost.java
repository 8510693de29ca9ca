package io.egress.webhook.endpoint;

import java.net.IDN;
import java.net.InetAddress;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The host of an endpoint's URL. Forms that programs interpret differently are rejected: {@code
 * 127.1}, {@code 0x7f.1}, {@code 2130706433}, trailing dots, percent-encoding, zones, and the four
 * characters that IDNA 2003 and 2008 map to different names.
 */
record EndpointHost(String name, @Nullable InetAddress literalAddress) {
  private static final int MAX_NAME_CHARACTERS = 253;
  private static final Pattern NUMBER = Pattern.compile("(?:.*\\.)?(?:[0-9]+|0x[0-9a-f]*)");
  private static final Pattern DOT_AT_AN_END = Pattern.compile("[.。．｡].*|.*[.。．｡]");
  private static final Pattern LABELS =
      Pattern.compile(
          "(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?");
  private static final Pattern READ_DIFFERENTLY = Pattern.compile("[ßẞς\\u200c\\u200d]");

  /** Throws {@link IllegalArgumentException} with a message for the user. */
  static EndpointHost parse(String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("the host is missing");
    }
    if (text.startsWith("[")) {
      return ipv6(text);
    }
    if (text.indexOf('%') >= 0) {
      throw new IllegalArgumentException("the host must not be percent-encoded");
    }
    if (DOT_AT_AN_END.matcher(text).matches()) {
      throw new IllegalArgumentException("the host must not begin or end with a dot");
    }
    if (READ_DIFFERENTLY.matcher(text).find()) {
      throw new IllegalArgumentException(
          "the host has a character that is read in two ways; write its name in the xn-- form");
    }
    return ofName(ascii(text));
  }

  private static EndpointHost ipv6(String text) {
    InetAddress address =
        text.endsWith("]") ? IpLiterals.parseIpv6(text.substring(1, text.length() - 1)) : null;
    if (address == null) {
      throw new IllegalArgumentException("the host in brackets is not an IPv6 address");
    }
    return new EndpointHost(IpLiterals.text(address), address);
  }

  private static EndpointHost ofName(String ascii) {
    if (NUMBER.matcher(ascii).matches()) {
      InetAddress address = IpLiterals.parseIpv4(ascii);
      if (address == null) {
        throw new IllegalArgumentException(
            "the host ends in a number but is not an IPv4 address of four decimal parts");
      }
      return new EndpointHost(ascii, address);
    }
    if (ascii.length() > MAX_NAME_CHARACTERS || !LABELS.matcher(ascii).matches()) {
      throw new IllegalArgumentException("the host is not a valid name");
    }
    return new EndpointHost(ascii, null);
  }

  private static String ascii(String text) {
    try {
      return IDN.toASCII(text, IDN.USE_STD3_ASCII_RULES).toLowerCase(Locale.ROOT);
    } catch (IllegalArgumentException notAName) {
      throw new IllegalArgumentException("the host is not a valid name", notAName);
    }
  }
}
