package io.egress.webhook.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressPolicyTest {
  private static final AddressPolicy STRICT = new AddressPolicy(List.of());

  @ParameterizedTest
  @CsvSource({
    "0.0.0.0, 0.255.255.255, this network",
    "10.0.0.0, 10.255.255.255, private",
    "100.64.0.0, 100.127.255.255, carriers",
    "127.0.0.0, 127.255.255.255, loopback",
    "169.254.0.0, 169.254.255.255, link-local",
    "172.16.0.0, 172.31.255.255, private",
    "192.0.0.0, 192.0.0.255, protocol assignments",
    "192.0.2.0, 192.0.2.255, documentation",
    "192.88.99.0, 192.88.99.255, 6to4",
    "192.168.0.0, 192.168.255.255, private",
    "198.18.0.0, 198.19.255.255, benchmarking",
    "198.51.100.0, 198.51.100.255, documentation",
    "203.0.113.0, 203.0.113.255, documentation",
    "224.0.0.0, 239.255.255.255, multicast",
    "240.0.0.0, 255.255.255.255, reserved",
    "::, ::, unspecified",
    "::1, ::1, loopback",
    "::2, ::255.255.255.255, IPv4-compatible",
    "64:ff9b:1::, 64:ff9b:1:ffff:ffff:ffff:ffff:ffff, local translation",
    "64:ff9b:1::808:808, 64:ff9b:1:808:8:800::, local translation",
    "100::, 100::ffff:ffff:ffff:ffff, discard-only",
    "100:0:0:1::, 100:0:0:1:ffff:ffff:ffff:ffff, reserved",
    "2001::, 2001:0:ffff:ffff:ffff:ffff:ffff:ffff, Teredo",
    "2001:1::, 2001:1::3, protocol assignments",
    "2001:2::, 2001:2:0:ffff:ffff:ffff:ffff:ffff, benchmarking",
    "2001:3::, 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff, protocol assignments",
    "2001:db8::, 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff, documentation",
    "2002::, 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff, 6to4",
    "2002:808:808::, 2002:808:808::1, 6to4",
    "3fff::, 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff, documentation",
    "4000::, 5fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, reserved",
    "5f00::, 5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff, reserved",
    "::1:0:0, 1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, reserved",
    "fc00::, fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, unique local",
    "fe80::, febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff, link-local",
    "fec0::, feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, site-local",
    "ff00::, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, multicast",
  })
  void refusesBothEndsOfEverySpecialBlock(String first, String last, String reason) {
    assertThat(STRICT.refusal(address(first))).contains(reason);
    assertThat(STRICT.refusal(address(last))).contains(reason);
    assertThat(STRICT.permits(address(first))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.0.0.0",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "191.255.255.255",
        "192.0.1.0",
        "192.0.1.255",
        "192.0.3.0",
        "192.88.98.255",
        "192.88.100.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "198.51.99.255",
        "198.51.101.0",
        "203.0.112.255",
        "203.0.114.0",
        "223.255.255.255",
        "2000::",
        "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "2001:200::",
        "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
        "2001:db9::",
        "2003::",
        "2606:4700:4700::1111",
        "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "3fff:1000::",
        "64:ff9b::8.8.8.8",
        "64:ff9b::11.0.0.0",
      })
  void permitsWhatLiesNextToTheSpecialBlocks(String address) {
    assertThat(STRICT.refusal(address(address))).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "64:ff9b::10.0.0.1, private",
    "64:ff9b::127.0.0.1, loopback",
    "64:ff9b::169.254.169.254, link-local",
    "64:ff9b::255.255.255.255, reserved",
    "64:ff9b::, this network",
  })
  void checksTheAddressThatATranslatorConnectsTo(String address, String reason) {
    assertThat(STRICT.refusal(address(address))).contains("translated to IPv4", reason);
  }

  @Test
  void checksMappedAddressesAsIpv4() throws UnknownHostException {
    byte[] loopback = HexFormat.of().parseHex("00000000000000000000ffff7f000001");
    byte[] publicAddress = HexFormat.of().parseHex("00000000000000000000ffff08080808");

    assertThat(STRICT.refusal(Inet6Address.getByAddress(null, loopback, -1)))
        .isEqualTo("127.0.0.1 is loopback (127.0.0.0/8)");
    assertThat(STRICT.refusal(Inet6Address.getByAddress(null, publicAddress, -1))).isNull();
  }

  @Test
  void ignoresTheZoneOfALinkLocalAddress() throws UnknownHostException {
    byte[] linkLocal = HexFormat.of().parseHex("fe800000000000000000000000000001");

    assertThat(STRICT.refusal(Inet6Address.getByAddress(null, linkLocal, 2)))
        .isEqualTo("fe80::1 is link-local (fe80::/10)");
  }

  @Test
  void exemptsConfiguredBlocks() {
    AddressPolicy policy =
        new AddressPolicy(CidrBlock.parseList("127.0.0.0/8, 10.1.0.0/16,fd00:1::/32"));

    assertThat(policy.permits(address("127.0.0.1"))).isTrue();
    assertThat(policy.permits(address("10.1.255.255"))).isTrue();
    assertThat(policy.permits(address("10.2.0.0"))).isFalse();
    assertThat(policy.permits(address("fd00:1::5"))).isTrue();
    assertThat(policy.permits(address("fd00:2::5"))).isFalse();
    assertThat(policy.permits(address("::1"))).isFalse();
    assertThat(policy.permits(address("64:ff9b::10.1.0.1"))).isTrue();
  }

  @Test
  void anExemptTranslatorPrefixExemptsEverythingBehindIt() {
    AddressPolicy policy = new AddressPolicy(CidrBlock.parseList("64:ff9b:1::/96"));

    assertThat(policy.permits(address("64:ff9b:1::8.8.8.8"))).isTrue();
    assertThat(policy.permits(address("64:ff9b:1:1::8.8.8.8"))).isFalse();
  }

  @Test
  void agreesWithTheJdkOnEveryClassTheJdkKnows() throws UnknownHostException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = new byte[random.nextBoolean() ? 4 : 16];
      random.nextBytes(bytes);
      InetAddress address = InetAddress.getByAddress(bytes);
      boolean special =
          address.isAnyLocalAddress()
              || address.isLoopbackAddress()
              || address.isLinkLocalAddress()
              || address.isSiteLocalAddress()
              || address.isMulticastAddress();
      if (special) {
        assertThat(STRICT.permits(address)).as("%s, seed %d", address, seed).isFalse();
      }
    }
  }

  private static InetAddress address(String literal) {
    InetAddress address = IpLiterals.parse(literal);
    if (address == null) {
      throw new IllegalArgumentException(literal);
    }
    return address;
  }
}
