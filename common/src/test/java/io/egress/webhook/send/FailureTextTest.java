package io.egress.webhook.send;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class FailureTextTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "status | 500 | - | answered 500 Internal Server Error",
        "status | 404 | - | answered 404 Not Found",
        "status | 799 | - | answered 799",
        "status | -25536 | - | answered -25536",
        "status | 0 | - | answered 0",
        "status | 40000 | - | answered 40000",
        "timeout | - | no status line within 10000 ms: waiting for the response | no answer within 10 s",
        "timeout | - | no status line within 1500 ms: connecting | no answer within 1500 ms",
        "timeout | - | - | no answer in time",
        "dns | - | hook.example: Name or service not known | host name not found",
        "connect | - | finishConnect(..) failed with error(-111): Connection refused | connection refused",
        "connect | - | Network is unreachable | no connection",
        "tls | - | certificate: NotAfter: Sat Feb 01 00:00:00 UTC 2025 | certificate expired on 2025-02-01",
        "tls | - | certificate: NotAfter: of an unknown form | certificate expired",
        "tls | - | certificate: unable to find valid certification path to requested target | certificate not trusted",
        "tls | - | certificate: No subject alternative DNS name matching a.example found. | certificate for another host",
        "tls | - | Received fatal alert: handshake_failure | TLS handshake failed",
        "reset | - | Connection reset | connection closed without an answer",
        "blocked_address | - | 10.0.0.1 is private | address not allowed",
      })
  void saysWhatHappened(String outcome, Integer status, String detail, String words) {
    assertThat(FailureText.of(outcome, status, detail).orElseThrow().words()).isEqualTo(words);
  }

  @ParameterizedTest
  @EnumSource
  void everyKindHasWordsAndAdvice(FailureKind kind) {
    FailureText text = FailureText.of(kind, null, null);

    assertThat(text.words()).isNotBlank().doesNotContain("_");
    assertThat(text.advice()).endsWith(".");
    assertThat(FailureText.words(kind.word())).isEqualTo(text.words());
  }

  @Test
  void aDeliveryIsNoFailure() {
    assertThat(FailureText.of("delivered", 200, null)).isEmpty();
  }

  @Test
  void anOutcomeOfANewerReleaseIsShownByItsName() {
    assertThat(FailureText.of("later", null, null).orElseThrow().words()).isEqualTo("later");
    assertThat(FailureText.words("delivered")).isEqualTo("delivered");
  }
}
