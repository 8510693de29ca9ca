package io.egress.webhook.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CidrBlockTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.0.0.0/8, 10.0.0.0, 10.255.255.255, 9.255.255.255, 11.0.0.0",
    "10.1.2.0/23, 10.1.2.0/23, 10.1.2.0, 10.1.3.255, 10.1.1.255, 10.1.4.0",
    "10.1.2.3, 10.1.2.3/32, 10.1.2.3, 10.1.2.3, 10.1.2.2, 10.1.2.4",
    "128.0.0.0/1, 128.0.0.0/1, 128.0.0.0, 255.255.255.255, 127.255.255.255, ::",
    "0.0.0.0/0, 0.0.0.0/0, 0.0.0.0, 255.255.255.255, ::, ::1",
    "::/0, ::/0, ::, ffff::, 0.0.0.0, 1.2.3.4",
    "fd00::/8, fd00::/8, fd00::, fdff:ffff::1, fcff::, fe00::",
    "FD00:0:0:0:0:0:0:1, fd00::1/128, fd00::1, fd00::1, fd00::, fd00::2",
    "2001:db8::/33, 2001:db8::/33, 2001:db8:7fff::, 2001:db8::, 2001:db8:8000::, 2001:db9::",
  })
  void containsExactlyItsAddresses(
      String text, String canonical, String first, String last, String before, String after) {
    CidrBlock block = CidrBlock.parse(text);

    assertThat(block).hasToString(canonical).isEqualTo(CidrBlock.parse(canonical));
    assertThat(block).hasSameHashCodeAs(CidrBlock.parse(canonical));
    assertThat(block.contains(address(first))).isTrue();
    assertThat(block.contains(address(last))).isTrue();
    assertThat(block.contains(address(before))).isFalse();
    assertThat(block.contains(address(after))).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "10.0.0.1/8 | has bits set behind its prefix",
        "fd00::1/64 | has bits set behind its prefix",
        "10.0.0.0/33 | whole number from 0 to 32",
        "10.0.0.0/-1 | whole number from 0 to 32",
        "10.0.0.0/08 | whole number from 0 to 32",
        "10.0.0.0/ | whole number from 0 to 32",
        "fd00::/129 | whole number from 0 to 128",
        "::ffff:10.0.0.0/104 | whole number from 0 to 32",
        "10.0.0/8 | must be an IP address or a block",
        "010.0.0.0/8 | must be an IP address or a block",
        "[::1]/128 | must be an IP address or a block",
        "fe80::1%eth0/128 | must be an IP address or a block",
        "localhost/8 | must be an IP address or a block",
        "'' | must be an IP address or a block",
      })
  void reportsTheFault(String text, String problem) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CidrBlock.parse(text))
        .withMessageContaining(problem);
  }

  @Test
  void readsAList() {
    assertThat(CidrBlock.parseList(" 10.0.0.0/8 ,::1/128"))
        .containsExactly(CidrBlock.parse("10.0.0.0/8"), CidrBlock.parse("::1"));
    assertThat(CidrBlock.parseList("  ")).isEmpty();
    assertThatIllegalArgumentException().isThrownBy(() -> CidrBlock.parseList("10.0.0.0/8,"));
  }

  private static InetAddress address(String literal) {
    return Objects.requireNonNull(IpLiterals.parse(literal));
  }
}
