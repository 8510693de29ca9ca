package io.egress.kafka;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.settings.KafkaSecurity;
import io.egress.settings.KafkaSecurity.Login;
import io.egress.settings.KafkaSecurity.Mechanism;
import io.egress.settings.KafkaSecurity.Protocol;
import io.egress.settings.KafkaSettings;
import io.egress.settings.TopicSettings;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.security.JaasContext;
import org.junit.jupiter.api.Test;

class ConnectionPropertiesTest {
  private static final String CHARACTERS = "ab \"'\\;=#/*{}$%\n\tü漢";
  private static final int CHARACTERS_MAX = 20;
  private static final int PASSWORDS = 500;

  @Test
  void passesAnyPasswordToKafkaUnchanged() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < PASSWORDS; i++) {
      String password = password(random);
      Map<String, ?> understood =
          JaasContext.loadClientContext(Map.of("sasl.jaas.config", new Password(jaas(password))))
              .configurationEntries()
              .get(0)
              .getOptions();
      assertThat(understood.get("password")).as("seed %d", seed).isEqualTo(password);
    }
  }

  @Test
  void withholdsThePasswordFromTheLog() {
    Map<String, String> properties =
        ConnectionProperties.of(settings(new Login(Mechanism.PLAIN, "egress", "not-to-be-seen")));

    assertThat(new AdminClientConfig(properties).values().toString())
        .contains("sasl.jaas.config")
        .doesNotContain("not-to-be-seen");
  }

  private static String jaas(String password) {
    return requireNonNull(
        ConnectionProperties.of(
                settings(new Login(Mechanism.SCRAM_SHA_512, "a \"user\"", password)))
            .get("sasl.jaas.config"));
  }

  private static KafkaSettings settings(Login login) {
    return new KafkaSettings(
        "localhost:9092",
        "egress.",
        new TopicSettings(1, 1, 1, false, Duration.ofDays(7)),
        new KafkaSecurity(Protocol.SASL_PLAINTEXT, login, null, null),
        Duration.ofSeconds(10));
  }

  private static String password(Random random) {
    StringBuilder password = new StringBuilder();
    int length = 1 + random.nextInt(CHARACTERS_MAX);
    for (int i = 0; i < length; i++) {
      password.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
    }
    return password.toString();
  }
}
