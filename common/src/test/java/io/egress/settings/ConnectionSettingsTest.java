package io.egress.settings;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.egress.embedded.CertificateAuthority;
import io.egress.settings.KafkaSecurity.Mechanism;
import io.egress.settings.KafkaSecurity.Protocol;
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
  private String key = "";

  ConnectionSettingsTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @BeforeEach
  void writeFiles() {
    CertificateAuthority.Issued issued = authority.issueFor("localhost");
    ca = authority.writePem(folder).toString();
    certificate = issued.writeCertificate(folder.resolve("certificate.pem")).toString();
    key = issued.writeKey(folder.resolve("key.pem")).toString();
  }

  @Test
  void usesNoTlsByDefault() {
    Settings settings = Settings.from(environment(Map.of()));

    assertThat(settings.kafka().security()).isEqualTo(KafkaSecurity.NONE);
    assertThat(settings.api().publicListener().tls()).isNull();
    assertThat(settings.kafka().topics())
        .isEqualTo(new TopicSettings(12, -1, -1, false, Duration.ofDays(7)));
  }

  @Test
  void readsTheSecurityOfBrokers() {
    KafkaSecurity security =
        Settings.from(
                environment(
                    Map.of(
                        "EGRESS_KAFKA_SECURITY_PROTOCOL", "SASL_SSL",
                        "EGRESS_KAFKA_SASL_MECHANISM", "PLAIN",
                        "EGRESS_KAFKA_USERNAME", "egress",
                        "EGRESS_KAFKA_PASSWORD", PASSWORD,
                        "EGRESS_KAFKA_CA", ca,
                        "EGRESS_KAFKA_CERTIFICATE", certificate,
                        "EGRESS_KAFKA_KEY", key)))
            .kafka()
            .security();

    assertThat(security.protocol()).isEqualTo(Protocol.SASL_SSL);
    assertThat(security.login())
        .isEqualTo(new KafkaSecurity.Login(Mechanism.PLAIN, "egress", PASSWORD));
    assertThat(requireNonNull(security.authorities()).text()).isEqualTo(authority.pem());
    assertThat(requireNonNull(security.identity()).key().path()).hasToString(key);
    assertThat(security.toString()).doesNotContain(PASSWORD).doesNotContain("BEGIN");
  }

  @Test
  void reportsTheMissingHalfOfAPair() {
    assertThat(
            faults(
                Map.of(
                    "EGRESS_KAFKA_SECURITY_PROTOCOL",
                    "SASL_SSL",
                    "EGRESS_KAFKA_USERNAME",
                    "egress",
                    "EGRESS_KAFKA_KEY",
                    key,
                    "EGRESS_TLS_CERTIFICATE",
                    certificate)))
        .containsExactlyInAnyOrder(
            "EGRESS_KAFKA_PASSWORD is required with SASL_SSL",
            "EGRESS_KAFKA_CERTIFICATE is required with EGRESS_KAFKA_KEY",
            "EGRESS_TLS_KEY is required with EGRESS_TLS_CERTIFICATE");
  }

  @Test
  void refusesSettingsThatWouldHaveNoEffect() {
    assertThat(faults(Map.of("EGRESS_KAFKA_PASSWORD", PASSWORD, "EGRESS_KAFKA_CA", ca)))
        .containsExactlyInAnyOrder(
            "EGRESS_KAFKA_PASSWORD is not used with PLAINTEXT, only with SASL_SSL or SASL_PLAINTEXT",
            "EGRESS_KAFKA_CA is not used with PLAINTEXT, only with SSL or SASL_SSL");
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
                    "EGRESS_KAFKA_SECURITY_PROTOCOL", "SSL",
                    "EGRESS_KAFKA_CA", key,
                    "EGRESS_KAFKA_CERTIFICATE", folder.resolve("missing.pem").toString(),
                    "EGRESS_KAFKA_KEY", encrypted,
                    "EGRESS_TLS_CERTIFICATE", certificate,
                    "EGRESS_TLS_KEY", certificate)))
        .hasSize(4)
        .anyMatch(fault -> fault.startsWith("EGRESS_KAFKA_CA: " + key))
        .anyMatch(fault -> fault.matches("EGRESS_KAFKA_CERTIFICATE: .*missing.pem is not there"))
        .anyMatch(fault -> fault.matches("EGRESS_KAFKA_KEY: .* unencrypted key in PKCS#8.*"))
        .anyMatch(fault -> fault.matches("EGRESS_TLS_KEY: .* contains no private key.*"));
  }

  @Test
  void refusesAReplicationThatAllowsNoWrites() {
    assertThat(
            faults(
                Map.of(
                    "EGRESS_TOPIC_REPLICATION", "2",
                    "EGRESS_TOPIC_MIN_INSYNC_REPLICAS", "3",
                    "EGRESS_TOPIC_RETENTION", "1h")))
        .hasSize(2)
        .anyMatch(fault -> fault.startsWith("EGRESS_TOPIC_MIN_INSYNC_REPLICAS: must not be above"))
        .anyMatch(fault -> fault.startsWith("EGRESS_TOPIC_RETENTION: must be at least"));
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
