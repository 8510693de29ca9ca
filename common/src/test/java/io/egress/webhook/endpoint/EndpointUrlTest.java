package io.egress.webhook.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.webhook.endpoint.EndpointUrl.Parsed;
import java.net.URI;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointUrlTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "https://hooks.example.com/in | hooks.example.com | 443 | /in | https://hooks.example.com/in",
        "HTTPS://Hooks.EXAMPLE.com | hooks.example.com | 443 | / | https://hooks.example.com/",
        "https://a.example:443/ | a.example | 443 | / | https://a.example/",
        "https://a.example:8443/x?y=%20z&a[]=1 | a.example | 8443 | /x?y=%20z&a[]=1 | https://a.example:8443/x?y=%20z&a[]=1",
        "https://a.example?q=a@b:c | a.example | 443 | /?q=a@b:c | https://a.example/?q=a@b:c",
        "https://a.example/@user:pw | a.example | 443 | /@user:pw | https://a.example/@user:pw",
        "https://a.example:1/ | a.example | 1 | / | https://a.example:1/",
        "https://a.example:65535/ | a.example | 65535 | / | https://a.example:65535/",
        "https://localhost/ | localhost | 443 | / | https://localhost/",
        "https://93.184.215.14/ | 93.184.215.14 | 443 | / | https://93.184.215.14/",
        "https://[2606:4700:0:0::1111]:8443/ | 2606:4700::1111 | 8443 | / | https://[2606:4700::1111]:8443/",
        "https://[::ffff:127.0.0.1]/ | 127.0.0.1 | 443 | / | https://127.0.0.1/",
        "https://müller.example/ | xn--mller-kva.example | 443 | / | https://xn--mller-kva.example/",
        "https://例え。テスト/ | xn--r8jz45g.xn--zckzah | 443 | / | https://xn--r8jz45g.xn--zckzah/",
        "https://xn--fa-hia.de/ | xn--fa-hia.de | 443 | / | https://xn--fa-hia.de/",
        "https://1a.2b/ | 1a.2b | 443 | / | https://1a.2b/",
        "https://127.0.0.1.nip.example/ | 127.0.0.1.nip.example | 443 | / | https://127.0.0.1.nip.example/",
        "https://0x7f.example/ | 0x7f.example | 443 | / | https://0x7f.example/",
      })
  void readsTheParts(String text, String host, int port, String target, String canonical) {
    EndpointUrl url = valid(text, false);

    assertThat(url.secure()).isTrue();
    assertThat(url.host()).isEqualTo(host);
    assertThat(url.port()).isEqualTo(port);
    assertThat(url.target()).isEqualTo(target);
    assertThat(url).hasToString(canonical).isEqualTo(valid(canonical, false));
    assertThat(url).hasSameHashCodeAs(valid(canonical, false));
  }

  @Test
  void acceptsPlainHttpOnlyIfAllowed() {
    EndpointUrl url = valid("http://receiver/in", true);

    assertThat(url.secure()).isFalse();
    assertThat(url.port()).isEqualTo(80);
    assertThat(url).hasToString("http://receiver/in");
    assertThat(problems("http://receiver/in", false))
        .containsExactly("the scheme must be https, not http");
    assertThat(problems("ftp://receiver/in", true))
        .containsExactly("the scheme must be https or http, not ftp");
  }

  @Test
  void knowsAnAddressThatNeedsNoNameServer() {
    assertThat(valid("https://10.0.0.1/", false).literalAddress()).isNotNull();
    assertThat(valid("https://[::1]/", false).literalAddress()).isNotNull();
    assertThat(valid("https://localhost/", false).literalAddress()).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.1",
        "127.0.1",
        "0x7f.1",
        "0x7f.0x0.0x0.0x1",
        "0x7f000001",
        "2130706433",
        "0177.0.0.1",
        "127.0.0.01",
        "00",
        "0x",
        "1.2.3.4.5",
        "256.1.1.1",
        "a.1",
        "a.0x1f",
        "１２７.１",
        "0X7F.1",
        "99999999999999999999",
      })
  void refusesHostsThatAreNumbersInDisguise(String host) {
    assertThat(problems("https://" + host + "/", false))
        .singleElement()
        .asString()
        .contains("ends in a number");
  }

  @Test
  void readsFullWidthDigitsAsTheAddressTheyMean() {
    assertThat(valid("https://１２７.０.０.１/", false).host()).isEqualTo("127.0.0.1");
    assertThat(valid("https://１２７。０。０。１/", false).literalAddress()).isNotNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "https:///in | the host is missing",
        "https://:443/ | the host is missing",
        "https://a.example./ | begin or end with a dot",
        "https://a.example。/ | begin or end with a dot",
        "https://.a.example/ | begin or end with a dot",
        "https://127.0.0.1./ | begin or end with a dot",
        "https://a..example/ | not a valid name",
        "https://a_b.example/ | not a valid name",
        "https://-a.example/ | not a valid name",
        "https://a-.example/ | not a valid name",
        "https://a!b.example/ | not a valid name",
        "https://a,b/ | not a valid name",
        "https://a*.example/ | not a valid name",
        "https://℀.example/ | not a valid name",
        "https://a／b.example/ | not a valid name",
        "https://a.example％2f/ | not a valid name",
        "https://127%2e0.0.1/ | percent-encoded",
        "https://%6cocalhost/ | percent-encoded",
        "https://straße.example/ | read in two ways",
        "https://[::1/ | not an IPv6 address",
        "https://[::1%25lo]/ | not an IPv6 address",
        "https://[fe80::1%eth0]/ | not an IPv6 address",
        "https://[127.0.0.1]/ | not an IPv6 address",
        "https://[1::2::3]/ | not an IPv6 address",
        "https://[::1]x/ | not an IPv6 address",
        "https://[]/ | not an IPv6 address",
        "https://user@a.example/ | user name or password",
        "https://user:pw@a.example/ | user name or password",
        "https://good.example@bad.example/ | user name or password",
        "https://@a.example/ | user name or password",
        "https://a.example:/ | the port must be",
        "https://a.example:0/ | the port must be",
        "https://a.example:65536/ | the port must be",
        "https://a.example:0443/ | the port must be",
        "https://a.example:+443/ | the port must be",
        "https://a.example:99999999999/ | the port must be",
        "https://a.example:４４３/ | the port must be",
        "https://::1/ | the host is missing",
        "https://a.example/#top | fragment",
        "https://a.example# | fragment",
        "https://a.example/%zz | percent-encoded",
        "https://a.example/% | percent-encoded",
        "https://a.example/ü | percent-encoded",
        "https://a.example\\@b.example/ | user name or password",
        "https://a.example\\b/ | not a valid name",
        "https://a.example/\\ | percent-encoded",
        "https://a.example/<x> | percent-encoded",
        "https:/a.example/ | form https://host/path",
        "https:a.example | form https://host/path",
        "//a.example/ | form https://host/path",
        "a.example | form https://host/path",
        "'' | form https://host/path",
        "' https://a.example/' | blanks",
        "'https://a.example/ x' | blanks",
        "javascript://a.example/ | scheme must be https",
      })
  void namesWhatIsWrong(String text, String problem) {
    assertThat(problems(text, false)).anySatisfy(found -> assertThat(found).contains(problem));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"\t", "\n", "\r", "\u0000", "\u007f", "\u00a0", "\u200b", "\u202e", "\ufeff"})
  void refusesWhatCannotBeSeen(String invisible) {
    assertThat(problems("https://a.exam" + invisible + "ple/", false))
        .singleElement()
        .asString()
        .contains("blanks, control or invisible");
  }

  @Test
  void gathersEveryFaultOfAUrl() {
    assertThat(problems("gopher://me@a_b.example:0/%#x", false)).hasSize(6);
  }

  @Test
  void boundsTheLength() {
    String longest = "https://a.example/" + "x".repeat(EndpointUrl.MAX_CHARACTERS - 18);

    assertThat(valid(longest, false).target()).hasSize(EndpointUrl.MAX_CHARACTERS - 17);
    assertThat(problems(longest + "x", false)).singleElement().asString().contains("longer than");
    assertThat(problems("https://" + "a".repeat(64) + ".example/", false)).hasSize(1);
    assertThat(problems("https://" + "a.".repeat(126) + "ab/", false)).hasSize(1);
    assertThat(valid("https://" + "a.".repeat(126) + "a/", false).host()).hasSize(253);
  }

  @Test
  void readsWhatItAcceptsAsTheJdkDoes() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    String alphabet = "ahtps:/.@#?[]%0x17-_\\é";
    for (int i = 0; i < 200_000; i++) {
      StringBuilder text = new StringBuilder("https://");
      for (int length = random.nextInt(12); length >= 0; length--) {
        text.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      if (EndpointUrl.parse(text.toString(), false) instanceof Parsed.Valid valid
          && valid.url().target().matches("[^\\[\\]]*")) {
        URI uri = URI.create(valid.url().toString());
        assertThat(uri.getHost())
            .as("%s, seed %d", text, seed)
            .isIn(valid.url().bracketedHost(), null);
        assertThat(uri.getRawAuthority()).startsWith(valid.url().bracketedHost());
      }
    }
  }

  private static EndpointUrl valid(String text, boolean allowHttp) {
    Parsed parsed = EndpointUrl.parse(text, allowHttp);
    assertThat(parsed).as(text).isInstanceOf(Parsed.Valid.class);
    return ((Parsed.Valid) parsed).url();
  }

  private static List<String> problems(String text, boolean allowHttp) {
    Parsed parsed = EndpointUrl.parse(text, allowHttp);
    assertThat(parsed).as(text).isInstanceOf(Parsed.Invalid.class);
    return ((Parsed.Invalid) parsed).problems();
  }
}
