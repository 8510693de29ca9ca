package io.egress.webhook.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveryIdTest {
  /** From Python: {@code uuid.uuid5(NAMESPACE, f"{endpoint}/{capture}")}. */
  @ParameterizedTest
  @CsvSource({
    "0d3c2e1f-6a5b-4c7d-8e9f-0a1b2c3d4e5f, f47ac10b-58cc-4372-a567-0e02b2c3d479,"
        + " bfa82951-60dd-51bd-a871-35d78006765f",
    "00000000-0000-0000-0000-000000000000, ffffffff-ffff-ffff-ffff-ffffffffffff,"
        + " 183a7fdf-8e15-5097-a200-1560f428ac17",
    "01890a5d-ac96-774b-bcce-b302099a8057, 01890a5d-ac96-774b-bcce-b302099a8058,"
        + " 1fef35bc-9024-5352-b632-b4b6a504b440",
  })
  void neverChanges(UUID endpoint, UUID capture, UUID delivery) {
    assertThat(DeliveryId.of(endpoint, capture)).isEqualTo(delivery);
    assertThat(delivery.version()).isEqualTo(5);
    assertThat(delivery.variant()).isEqualTo(2);
  }

  @Test
  void matchesTheExampleOfTheStandard() {
    UUID dns = UUID.fromString("6ba7b810-9dad-11d1-80b4-00c04fd430c8");

    assertThat(DeliveryId.nameBased(dns, "www.example.com"))
        .isEqualTo(UUID.fromString("2ed6657d-e927-568b-95e1-2665a8aea6a2"));
  }

  @Test
  void dependsOnTheOrderOfEndpointAndCapture() {
    UUID one = UUID.randomUUID();
    UUID two = UUID.randomUUID();

    assertThat(DeliveryId.of(one, two)).isNotEqualTo(DeliveryId.of(two, one));
  }

  /** Otherwise the second one would be taken for a repetition of the first. */
  @Test
  void tellsEventsOfOneCaptureApart() {
    UUID endpoint = UUID.randomUUID();
    UUID capture = UUID.randomUUID();

    assertThat(Stream.of(Event.values()).map(each -> DeliveryId.of(endpoint, capture, each)))
        .doesNotHaveDuplicates()
        .contains(DeliveryId.of(endpoint, capture));
  }
}
