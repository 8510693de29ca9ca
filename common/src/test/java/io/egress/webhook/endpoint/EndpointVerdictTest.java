package io.egress.webhook.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Which URLs may be endpoints, and why the others may not. What a name resolves to is judged when
 * it is connected to, by the same {@link AddressPolicy}.
 */
class EndpointVerdictTest {
  private static final AddressPolicy STRICT = new AddressPolicy(List.of());
  private static final AddressPolicy LOOPBACK_EXEMPT =
      new AddressPolicy(CidrBlock.parseList("127.0.0.0/8"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "https://hooks.example.com/in | ",
        "https://example.com | ",
        "https://93.184.215.14/ | ",
        "https://8.8.8.8:8443/x | ",
        "https://1.1.1.1/ | ",
        "https://[2606:4700::1111]/ | ",
        "https://[2a00:1450:4001:81b::200e]:8443/ | ",
        "https://[::ffff:8.8.8.8]/ | ",
        "https://[64:ff9b::808:808]/ | ",
        "https://localhost.example.com/ | ",
        "https://internal.example.com/ | ",
        "https://my-internal/ | ",
        "https://127.0.0.1.nip.example/ | ",
        "https://a.example:8080/ | ",
        "https://a.example:444/ | ",
        "https://a.example:9443/x?y=1 | ",
        "https://168.63.129.15/ | ",
        "https://168.63.129.17/ | ",
        "https://100.63.255.255/ | ",
        "https://100.128.0.1/ | ",
        "https://172.15.255.255/ | ",
        "https://172.32.0.1/ | ",
        "https://169.253.1.1/ | ",
        "https://169.255.1.1/ | ",
        "https://192.169.0.1/ | ",
        "https://11.0.0.1/ | ",
        "https://126.255.255.255/ | ",
        "https://128.0.0.1/ | ",
        "https://223.255.255.255/ | ",
        "https://xn--mller-kva.example/ | ",
        "https://locals/ | ",
        "https://internal-api.example/ | ",
        "https://127.0.0.1/ | loopback",
        "https://127.1.2.3:8443/ | loopback",
        "https://127.255.255.255/ | loopback",
        "https://10.0.0.1/ | private",
        "https://10.255.255.255/ | private",
        "https://172.16.0.1/ | private",
        "https://172.31.255.255/ | private",
        "https://192.168.1.1/ | private",
        "https://169.254.169.254/latest/meta-data/ | link-local",
        "https://169.254.170.2/ | link-local",
        "https://100.100.100.200/ | shared by carriers",
        "https://100.64.0.1/ | shared by carriers",
        "https://100.127.255.255/ | shared by carriers",
        "https://168.63.129.16/ | Azure's platform",
        "https://[::ffff:168.63.129.16]/ | Azure's platform",
        "https://[64:ff9b::a83f:8110]/ | Azure's platform",
        "https://0.0.0.0/ | this network",
        "https://0.1.2.3/ | this network",
        "https://192.0.0.192/ | protocol assignments",
        "https://192.0.0.170/ | protocol assignments",
        "https://192.0.2.1/ | documentation",
        "https://198.51.100.7/ | documentation",
        "https://203.0.113.9/ | documentation",
        "https://192.88.99.1/ | 6to4 relays",
        "https://198.18.0.1/ | benchmarking",
        "https://198.19.255.255/ | benchmarking",
        "https://224.0.0.1/ | multicast",
        "https://239.255.255.255/ | multicast",
        "https://240.0.0.1/ | reserved",
        "https://255.255.255.255/ | reserved",
        "https://[::1]/ | loopback",
        "https://[0:0:0:0:0:0:0:1]/ | loopback",
        "https://[::]/ | unspecified",
        "https://[::ffff:127.0.0.1]/ | loopback",
        "https://[::ffff:7f00:1]/ | loopback",
        "https://[::ffff:10.0.0.1]/ | private",
        "https://[::ffff:a9fe:a9fe]/ | link-local",
        "https://[::127.0.0.1]/ | IPv4-compatible",
        "https://[64:ff9b::7f00:1]/ | translated to IPv4: loopback",
        "https://[64:ff9b::a9fe:a9fe]/ | translated to IPv4: link-local",
        "https://[64:ff9b::10.0.0.1]/ | translated to IPv4: private",
        "https://[64:ff9b:1::1]/ | local translation",
        "https://[2002:7f00:1::]/ | 6to4",
        "https://[2002:a9fe:a9fe::1]/ | 6to4",
        "https://[2001:0:53aa:64c::1]/ | Teredo",
        "https://[2001:2::1]/ | benchmarking",
        "https://[2001:10::1]/ | protocol assignments",
        "https://[2001:db8::1]/ | documentation",
        "https://[3fff::1]/ | documentation",
        "https://[fc00::1]/ | unique local",
        "https://[fd00:ec2::254]/ | unique local",
        "https://[fe80::1]/ | link-local",
        "https://[fec0::1]/ | site-local",
        "https://[ff02::1]/ | multicast",
        "https://[100::1]/ | discard-only",
        "https://[4000::1]/ | reserved",
        "https://[::2]/ | IPv4-compatible",
        "https://localhost/ | local network",
        "https://LOCALHOST:8443/ | local network",
        "https://a.localhost/ | local network",
        "https://localhost.localdomain/ | local network",
        "https://printer.local/ | local network",
        "https://metadata.google.internal/ | local network",
        "https://ip-10-0-0-1.ec2.internal/ | local network",
        "https://internal/ | local network",
        "https://router.home.arpa/ | local network",
        "https://ｌｏｃａｌｈｏｓｔ/ | local network",
        "https://a.example:22/ | another protocol",
        "https://a.example:25/ | another protocol",
        "https://a.example:53/ | another protocol",
        "https://a.example:110/ | another protocol",
        "https://a.example:465/ | another protocol",
        "https://a.example:587/ | another protocol",
        "https://a.example:2049/ | another protocol",
        "https://a.example:6000/ | another protocol",
        "https://a.example:6667/ | another protocol",
        "https://a.example:10080/ | another protocol",
        "https://8.8.8.8:53/ | another protocol",
        "http://hooks.example.com/ | scheme",
        "ftp://hooks.example.com/ | scheme",
        "file:///etc/passwd | scheme",
        "gopher://a.example/ | scheme",
        "//a.example/ | form",
        "a.example | form",
        "https://127.1/ | four decimal parts",
        "https://2130706433/ | four decimal parts",
        "https://0x7f000001/ | four decimal parts",
        "https://0x7f.0.0.1/ | four decimal parts",
        "https://0177.0.0.1/ | four decimal parts",
        "https://127.0.0.01/ | four decimal parts",
        "https://127.0.0.1.1/ | four decimal parts",
        "https://256.0.0.1/ | four decimal parts",
        "https://１２７.０.０.１/ | loopback",
        "https://127。0。0。1/ | loopback",
        "https://127.0.0.1./ | dot",
        "https://localhost./ | dot",
        "https://.example.com/ | dot",
        "https://%31%32%37.0.0.1/ | percent-encoded",
        "https://a%2eexample/ | percent-encoded",
        "https://user@127.0.0.1/ | user name",
        "https://a.example@127.0.0.1/ | user name",
        "https://127.0.0.1#@a.example/ | fragment",
        "https://[fe80::1%25eth0]/ | not an IPv6",
        "https://[127.0.0.1]/ | not an IPv6",
        "https://[::1/ | not an IPv6",
        "https://::1/ | host",
        "https://a.example\\@127.0.0.1/ | user name",
        "https://a.example:0/ | port",
        "https://a.example:65536/ | port",
        "https://a.example:80a/ | port",
        "https://a_b.example/ | not a valid name",
        "https:///x | missing",
        "https://faß.de/ | read in two ways"
      })
  void decides(String url, @Nullable String reason) {
    List<String> reasons = reasons(url, STRICT);

    if (reason == null) {
      assertThat(reasons).isEmpty();
    } else {
      assertThat(reasons).anySatisfy(found -> assertThat(found).contains(reason));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "https://localhost:8443/ |",
        "https://receiver.local/ |",
        "https://127.0.0.1/ |",
        "https://10.0.0.1/ | private",
        "https://localhost:22/ | another protocol"
      })
  void admitsLocalReceiversWhereANetworkIsExempt(String url, @Nullable String reason) {
    List<String> reasons = reasons(url, LOOPBACK_EXEMPT);

    if (reason == null) {
      assertThat(reasons).isEmpty();
    } else {
      assertThat(reasons).anySatisfy(found -> assertThat(found).contains(reason));
    }
  }

  private static List<String> reasons(String text, AddressPolicy policy) {
    if (EndpointUrl.parse(text, false) instanceof EndpointUrl.Parsed.Invalid invalid) {
      return invalid.problems();
    }
    EndpointUrl url = ((EndpointUrl.Parsed.Valid) EndpointUrl.parse(text, false)).url();
    List<String> reasons = new ArrayList<>();
    add(reasons, url.refusal(policy));
    InetAddress literal = url.literalAddress();
    add(reasons, literal == null ? null : policy.refusal(literal));
    return reasons;
  }

  private static void add(List<String> reasons, @Nullable String reason) {
    if (reason != null) {
      reasons.add(reason);
    }
  }
}
