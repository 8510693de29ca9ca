package io.egress.webhook.send;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.egress.webhook.endpoint.EndpointUrl;
import io.egress.webhook.send.ForwardProxy.Direct;
import io.vertx.core.net.ProxyOptions;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ForwardProxyTest {
  @Test
  void readsHostPortAndCredentials() {
    ProxyOptions options =
        ForwardProxy.parse("http://me:a%2Bb+c@proxy.internal:3128/")
            .options(Duration.ofSeconds(10));

    assertThat(options.getHost()).isEqualTo("proxy.internal");
    assertThat(options.getPort()).isEqualTo(3128);
    assertThat(options.getUsername()).isEqualTo("me");
    assertThat(options.getPassword()).isEqualTo("a+b+c");
    ForwardProxy six = ForwardProxy.parse("http://[fd00::1]:3128");
    assertThat(six).hasToString("[fd00::1]:3128");
    assertThat(six.options(Duration.ofSeconds(10)).getHost()).isEqualTo("fd00::1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "proxy:3128",
        "http://proxy",
        "http://proxy:0",
        "http://proxy:70000",
        "https://me:hidden@proxy:3128",
        "socks5://me:hidden@proxy:1080",
        "http://hidden@proxy:3128",
        "http://:hidden@proxy:3128",
        "http://me:hid%zz@proxy:3128",
        "http://me:hidden@proxy:3128/path",
        "http://me:hidden@proxy:3128?x=1",
        "http://me:hid den@proxy:3128",
        "http://me:hidden@"
      })
  void refusesWhatIsNoProxyWithoutShowingAPassword(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ForwardProxy.parse(text))
        .withMessageStartingWith("must be http://host:port")
        .satisfies(fault -> assertThat(fault.getMessage()).doesNotContain("hid"));
  }

  @ParameterizedTest
  @CsvSource({
    "'10.0.0.0/8, fd00::/8', receiver.test, 10.1.2.3, true",
    "'10.0.0.0/8, fd00::/8', receiver.test, fd00::7, true",
    "'10.0.0.0/8, fd00::/8', receiver.test, 11.1.2.3, false",
    "Partner.Example, partner.example, 11.1.2.3, true",
    "partner.example, hooks.partner.example, 11.1.2.3, true",
    ".partner.example, hooks.partner.example, 11.1.2.3, true",
    "partner.example, notpartner.example, 11.1.2.3, false",
    "partner.example, partner.example.net, 11.1.2.3, false",
    "'', partner.example, 11.1.2.3, false"
  })
  void knowsWhatIsReachedDirectly(String list, String host, String address, boolean direct)
      throws UnknownHostException {
    ForwardProxy proxy = ForwardProxy.parse("http://proxy:3128").except(Direct.parse(list));
    EndpointUrl url =
        ((EndpointUrl.Parsed.Valid) EndpointUrl.parse("https://" + host + "/", false)).url();

    assertThat(proxy.leadsTo(url, InetAddress.getByName(address))).isEqualTo(!direct);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*",
        "*.example.com",
        "a,,b",
        "10.0.0.1/8",
        "300.1.1.1",
        "host:443",
        "a b",
        "http://a"
      })
  void refusesExceptionsThatItCannotApply(String list) {
    assertThatIllegalArgumentException().isThrownBy(() -> Direct.parse(list));
  }
}
