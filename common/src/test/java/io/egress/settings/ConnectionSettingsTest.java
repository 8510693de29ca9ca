package io.egress.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.egress.platform.database.DatabaseSettings;
import io.egress.platform.database.DatabaseTls;
import io.egress.platform.database.DatabaseUrl;
import io.egress.platform.environment.SettingsException;
import io.egress.platform.kafka.KafkaProperties;
import io.egress.platform.kafka.TopicSettings;
import io.egress.testing.CertificateAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConnectionSettingsTest {
  private static final String PASSWORD = "a-password-nobody-may-see";

  private final Path folder;
  private final CertificateAuthority authority = new CertificateAuthority();
  private String ca = "";
  private String certificate = "";

  ConnectionSettingsTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @BeforeEach
  void writeFiles() {
    CertificateAuthority.Issued issued = authority.issueFor("localhost");
    ca = authority.writePem(folder).toString();
    certificate = issued.writeCertificate(folder.resolve("certificate.pem")).toString();
  }

  @Test
  void usesNoTlsByDefault() {
    Settings settings = Settings.from(environment(Map.of()));

    assertThat(settings.kafka().properties()).isEqualTo(KafkaProperties.NONE);
    assertThat(settings.api().publicListener().tls()).isNull();
    assertThat(settings.kafka().topics()).isEqualTo(new TopicSettings(12, false));
  }

  @Test
  void readsThePropertiesOfKafkasClients() throws IOException {
    KafkaProperties properties =
        Settings.from(
                environment(
                    kafka(
                        """
                        security.protocol = SASL_SSL
                        sasl.jaas.config = PlainLoginModule required password="%s";
                        ssl.truststore.type = PEM
                        ssl.truststore.location = %s
                        """
                            .formatted(PASSWORD, ca))))
            .kafka()
            .properties();

    assertThat(properties.values())
        .containsEntry("security.protocol", "SASL_SSL")
        .containsEntry("ssl.truststore.location", ca)
        .hasSize(4);
    assertThat(properties.toString()).contains("sasl.jaas.config").doesNotContain(PASSWORD);
  }

  @Test
  void refusesPropertiesThatAreNotAboutConnections() throws IOException {
    assertThat(faults(kafka("acks = 0")))
        .singleElement()
        .asString()
        .matches("EGRESS_KAFKA_PROPERTIES: .*can be set, not acks");
    assertThat(faults(kafka("ssl.endpoint.identification.algorithm =")))
        .singleElement()
        .asString()
        .endsWith("host names are always verified");
    assertThat(faults(kafka("sasl.mechanisms = PLAIN")))
        .singleElement()
        .asString()
        .endsWith("Kafka's clients know no property sasl.mechanisms");
    assertThat(faults(kafka("security.protocol = SSLL")))
        .singleElement()
        .asString()
        .matches("EGRESS_KAFKA_PROPERTIES: .*Invalid value SSLL .*security.protocol.*");
    assertThat(faults(kafka("ssl.truststore.location = /nowhere.pem")))
        .singleElement()
        .asString()
        .endsWith("the file of ssl.truststore.location cannot be read");
    assertThat(faults(Map.of("EGRESS_KAFKA_PROPERTIES", "/nowhere")))
        .containsExactly("EGRESS_KAFKA_PROPERTIES: /nowhere is not there");
  }

  @Test
  void reportsTheMissingHalfOfAPair() {
    assertThat(faults(Map.of("EGRESS_TLS_CERTIFICATE", certificate)))
        .containsExactly("EGRESS_TLS_KEY is required with EGRESS_TLS_CERTIFICATE");
  }

  @Test
  void reportsUnusableFiles() throws IOException {
    String encrypted =
        Files.writeString(
                folder.resolve("encrypted.pem"), "-----BEGIN ENCRYPTED PRIVATE KEY-----\n")
            .toString();
    assertThat(
            faults(
                Map.of(
                    "EGRESS_CLIENT_CERTIFICATE", folder.resolve("missing.pem").toString(),
                    "EGRESS_CLIENT_KEY", encrypted,
                    "EGRESS_TLS_CERTIFICATE", certificate,
                    "EGRESS_TLS_KEY", certificate)))
        .hasSize(3)
        .anyMatch(fault -> fault.matches("EGRESS_CLIENT_CERTIFICATE: .*missing.pem is not there"))
        .anyMatch(fault -> fault.matches("EGRESS_CLIENT_KEY: .* unencrypted key in PKCS#8.*"))
        .anyMatch(fault -> fault.matches("EGRESS_TLS_KEY: .* contains no private key.*"));
  }

  private Map<String, String> kafka(String properties) throws IOException {
    Path file = Files.writeString(folder.resolve("kafka.properties"), properties);
    return Map.of("EGRESS_KAFKA_PROPERTIES", file.toString());
  }

  @Test
  void readsDatabaseUrlsLikeLibpq() {
    DatabaseUrl url =
        DatabaseUrl.parse(
            "postgresql://us%40er:p%2Fw+d@db.example/e?sslmode=verify-full&sslrootcert=" + ca);

    assertThat(url.user()).isEqualTo("us@er");
    assertThat(url.password()).isEqualTo("p/w+d");
    assertThat(url.hosts()).containsExactly(new DatabaseUrl.Host("db.example", 5432));
    assertThat(url.connectTimeout()).hasSeconds(5);
    assertThat(url.database()).isEqualTo("e");
    assertThat(url.tls().mode()).isEqualTo(DatabaseTls.Mode.VERIFY_FULL);
    assertThat(url.tls().authorities()).hasToString(ca);
    assertThat(url.toString()).doesNotContain("p/w+d");
    assertThat(DatabaseUrl.parse("postgres://u@h/d?sslmode=require&sslrootcert=" + ca).tls().mode())
        .as("an authority that is named is one to be asked")
        .isEqualTo(DatabaseTls.Mode.VERIFY_CA);
  }

  @Test
  void readsSeveralDatabaseHosts() {
    DatabaseUrl url =
        DatabaseUrl.parse(
            "postgresql://u:p@h1:5433,h2,[::1]:5434/db?target_session_attrs=read-write&connect_timeout=7");

    assertThat(url.hosts())
        .containsExactly(
            new DatabaseUrl.Host("h1", 5433),
            new DatabaseUrl.Host("h2", 5432),
            new DatabaseUrl.Host("[::1]", 5434));
    assertThat(url.connectTimeout()).hasSeconds(7);
    assertThat(url).hasToString("h1:5433,h2:5432,[::1]:5434/db");
    for (String hosts : List.of("h1,", ",", "h1:0", "h1:99999", "::1", "h1:x", ":5432")) {
      assertThatThrownBy(() -> DatabaseUrl.parse("postgresql://u:p@" + hosts + "/db"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("must have the form");
    }
  }

  @Test
  void refusesUnknownDatabaseParameters() {
    assertThat(databaseFault("?options=x"))
        .isEqualTo("EGRESS_DATABASE_URL has unknown parameters: options");
    assertThat(databaseFault("?connect_timeout=0")).contains("seconds from 1 to 60");
    assertThat(databaseFault("?target_session_attrs=standby")).contains("the service writes");
    assertThat(databaseFault("?sslmode=allow")).contains("none of disable, prefer, require");
    assertThat(databaseFault("?sslmode=verify-ca")).contains("needs sslrootcert");
    assertThat(databaseFault("?sslmode=verify-ca&sslrootcert=system")).contains("verify-full");
    assertThat(databaseFault("?sslrootcert=" + ca)).contains("sslmode=disable does not use");
    assertThat(databaseFault("?sslmode=require&sslcert=" + certificate))
        .contains("sslcert and sslkey both");
    assertThat(databaseFault("?sslmode=verify-full&sslrootcert=/nowhere.pem"))
        .contains("unusable sslrootcert: /nowhere.pem is not there");
    assertThat(databaseFault("?sslmode=require&sslmode=disable")).contains("once");
  }

  @Test
  void readsStandbysForPages() {
    String url = "postgresql://u:" + PASSWORD + "@h1:5433,h2/db?target_session_attrs=standby";

    DatabaseSettings settings =
        Settings.from(
                environment(
                    Map.of("EGRESS_DATABASE_READ_URL", url, "EGRESS_DATABASE_READ_LAG", "20s")))
            .database();

    assertThat(settings.standby())
        .isEqualTo(new DatabaseSettings.Standby(url, Duration.ofSeconds(20)));
    assertThat(settings.toString()).doesNotContain(PASSWORD);
    assertThat(Settings.from(environment(Map.of())).database().standby()).isNull();
  }

  @Test
  void refusesStandbysThatCannotBeReadFrom() {
    assertThat(
            faults(
                Map.of(
                    "EGRESS_DATABASE_READ_URL",
                    "postgresql://u:" + PASSWORD + "@h1/db?target_session_attrs=read-write",
                    "EGRESS_DATABASE_READ_LAG",
                    "10ms")))
        .containsExactlyInAnyOrder(
            "EGRESS_DATABASE_READ_URL has target_session_attrs=read-write, but pages are read from"
                + " standbys: leave it out, or use standby",
            "EGRESS_DATABASE_READ_LAG: must be at least 1s");
  }

  private String databaseFault(String query) {
    List<String> faults =
        faults(
            Map.of("EGRESS_DATABASE_URL", "postgresql://u:" + PASSWORD + "@localhost/e" + query));
    assertThat(faults).hasSize(1);
    assertThat(faults.get(0)).doesNotContain(PASSWORD);
    return faults.get(0);
  }

  private static List<String> faults(Map<String, String> changes) {
    return catchThrowableOfType(SettingsException.class, () -> Settings.from(environment(changes)))
        .faults();
  }

  private static Map<String, String> environment(Map<String, String> changes) {
    Map<String, String> environment = new HashMap<>();
    environment.put("EGRESS_DATABASE_URL", "postgresql://u:p@localhost:5432/egress");
    environment.put("EGRESS_KAFKA_BOOTSTRAP", "localhost:9092");
    environment.put("EGRESS_INTERNAL_TOKEN", "a-token-of-the-internal-api");
    environment.putAll(changes);
    return environment;
  }
}
