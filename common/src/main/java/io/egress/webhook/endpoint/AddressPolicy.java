package io.egress.webhook.endpoint;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which addresses webhooks may be sent to. Only globally routed addresses are allowed,
 * according to IANA's registries of special-purpose addresses, so that an endpoint cannot be used
 * to reach into the network of the service. Public-looking addresses of cloud metadata services are
 * rejected, too.
 *
 * <p>IPv6 is an allow list: the only block that IANA allocates for global unicast, without the
 * special ranges in it. An address that a translator would turn into an IPv4 address is checked as
 * that address. The block 64:ff9b:1::/48 is rejected entirely: the position of the IPv4 address in
 * it is the operator's choice, so it cannot be checked; an operator of such a translator can exempt
 * the prefix.
 */
public final class AddressPolicy {
  private record Special(CidrBlock block, String meaning) {
    static Special of(String block, String meaning) {
      return new Special(CidrBlock.parse(block), meaning);
    }
  }

  private static final List<Special> SPECIAL_IPV4 =
      List.of(
          Special.of("0.0.0.0/8", "this network"),
          Special.of("10.0.0.0/8", "private"),
          Special.of("100.64.0.0/10", "shared by carriers"),
          Special.of("127.0.0.0/8", "loopback"),
          Special.of("168.63.129.16/32", "Azure's platform"),
          Special.of("169.254.0.0/16", "link-local"),
          Special.of("172.16.0.0/12", "private"),
          Special.of("192.0.0.0/24", "protocol assignments"),
          Special.of("192.0.2.0/24", "documentation"),
          Special.of("192.88.99.0/24", "6to4 relays"),
          Special.of("192.168.0.0/16", "private"),
          Special.of("198.18.0.0/15", "benchmarking"),
          Special.of("198.51.100.0/24", "documentation"),
          Special.of("203.0.113.0/24", "documentation"),
          Special.of("224.0.0.0/4", "multicast"),
          Special.of("240.0.0.0/4", "reserved"));

  private static final List<Special> SPECIAL_IPV6 =
      List.of(
          Special.of("::/128", "unspecified"),
          Special.of("::1/128", "loopback"),
          Special.of("::/96", "IPv4-compatible"),
          Special.of("64:ff9b:1::/48", "local translation to IPv4"),
          Special.of("100::/64", "discard-only"),
          Special.of("2001::/32", "Teredo"),
          Special.of("2001:2::/48", "benchmarking"),
          Special.of("2001::/23", "protocol assignments"),
          Special.of("2001:db8::/32", "documentation"),
          Special.of("2002::/16", "6to4"),
          Special.of("3fff::/20", "documentation"),
          Special.of("fc00::/7", "unique local"),
          Special.of("fe80::/10", "link-local"),
          Special.of("fec0::/10", "site-local"),
          Special.of("ff00::/8", "multicast"));

  private static final CidrBlock GLOBAL_UNICAST = CidrBlock.parse("2000::/3");
  private static final CidrBlock NAT64 = CidrBlock.parse("64:ff9b::/96");
  private static final int IPV4_BYTES = 4;
  private static final int IPV6_BYTES = 16;

  private final List<CidrBlock> exempt;
  private final List<CidrBlock> denied;

  public AddressPolicy(List<CidrBlock> exempt) {
    this(exempt, List.of());
  }

  /** What is {@code denied} is rejected even if it is exempt or public. */
  public AddressPolicy(List<CidrBlock> exempt, List<CidrBlock> denied) {
    this.exempt = List.copyOf(exempt);
    this.denied = List.copyOf(denied);
  }

  /** Whether endpoints may use names that are local to this machine or network. */
  public boolean permitsLocalNames() {
    return !exempt.isEmpty();
  }

  public boolean permits(InetAddress address) {
    return refusal(address) == null;
  }

  /** The reason why the address is rejected, or null if it is allowed. */
  public @Nullable String refusal(InetAddress address) {
    byte[] bytes = unmapped(address.getAddress());
    String reason = reason(bytes);
    return reason == null ? null : IpLiterals.text(inetAddress(bytes)) + " is " + reason;
  }

  /** Endpoints' owners read it: it does not name the operator's networks. */
  private @Nullable String reason(byte[] address) {
    if (contain(denied, address)) {
      return "denied by the operator";
    }
    if (contain(exempt, address)) {
      return null;
    }
    if (address.length == IPV4_BYTES) {
      return special(SPECIAL_IPV4, address);
    }
    if (NAT64.contains(address)) {
      String embedded = reason(lastFour(address));
      return embedded == null ? null : "translated to IPv4: " + embedded;
    }
    String special = special(SPECIAL_IPV6, address);
    return special != null || GLOBAL_UNICAST.contains(address)
        ? special
        : "reserved (outside " + GLOBAL_UNICAST + ")";
  }

  private static boolean contain(List<CidrBlock> blocks, byte[] address) {
    return blocks.stream().anyMatch(block -> block.contains(address));
  }

  private static @Nullable String special(List<Special> specials, byte[] address) {
    for (Special special : specials) {
      if (special.block().contains(address)) {
        return special.meaning() + " (" + special.block() + ")";
      }
    }
    return null;
  }

  /** A v4-mapped address is connected to over IPv4, whatever its class. */
  private static byte[] unmapped(byte[] address) {
    boolean mapped = address.length == IPV6_BYTES && address[10] == -1 && address[11] == -1;
    for (int i = 0; mapped && i < 10; i++) {
      mapped = address[i] == 0;
    }
    return mapped ? lastFour(address) : address;
  }

  private static byte[] lastFour(byte[] address) {
    return Arrays.copyOfRange(address, IPV6_BYTES - IPV4_BYTES, IPV6_BYTES);
  }

  private static InetAddress inetAddress(byte[] bytes) {
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException lengthIsNeither4Nor16) {
      throw new IllegalStateException(lengthIsNeither4Nor16);
    }
  }
}
