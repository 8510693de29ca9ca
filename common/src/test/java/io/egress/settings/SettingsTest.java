package io.egress.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.egress.platform.environment.SettingDescription;
import io.egress.platform.environment.SettingsException;
import io.egress.platform.http.ListenerSettings;
import io.egress.platform.log.LogSettings;
import io.egress.testing.CertificateAuthority;
import io.egress.testing.CertificateAuthority.Issued;
import io.egress.webhook.endpoint.AddressPolicy;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.send.PushSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.event.Level;

class SettingsTest {
  private static final String SECRET = "a-token-nobody-may-see";

  @Test
  void whatClientsReadIsNoUnknownSetting() {
    Map<String, String> environment = environment(Map.of("EGRESS_API_KEY", "service_x"));

    assertThat(Settings.from(environment)).isNotNull();
  }

  @Test
  void readsDefaultsAndGivenValues() {
    Settings settings = Settings.from(environment(Map.of("EGRESS_ATTEMPT_TIMEOUT", "250s")));

    assertThat(settings.api().publicListener().port()).isEqualTo(8080);
    assertThat(settings.internalListener()).isEqualTo(ListenerSettings.internal("127.0.0.1", 8081));
    assertThat(settings.dispatcher().attemptTimeout()).isEqualTo(Duration.ofSeconds(250));
    assertThat(settings.api().maxCaptureBytes()).isEqualTo(16L << 20);
    assertThat(settings.kafka().topicPrefix()).isEqualTo("egress.");
  }

  @Test
  void reportsEveryFaultAtOnce() {
    assertThat(
            faults(
                Map.of(
                    "EGRESS_PUBLIC_PORT", "99999",
                    "EGRESS_ATTEMPT_TIMEOUT", "soon",
                    "EGRESS_MAX_CAPTURE_SIZE", "64",
                    "EGRESS_DATABASE_URL", "mysql://localhost/x",
                    "EGRESS_TOPIC_PREFIX", "a b",
                    "EGRESS_ATTEMPT_TIMEOUTR", "1s")))
        .hasSize(6)
        .anySatisfy(fault -> assertThat(fault).startsWith("EGRESS_PUBLIC_PORT: must be a whole"))
        .anySatisfy(fault -> assertThat(fault).startsWith("EGRESS_ATTEMPT_TIMEOUT: must be"))
        .anySatisfy(fault -> assertThat(fault).startsWith("EGRESS_MAX_CAPTURE_SIZE: must be"))
        .anySatisfy(fault -> assertThat(fault).startsWith("EGRESS_DATABASE_URL must have"))
        .anySatisfy(fault -> assertThat(fault).startsWith("EGRESS_TOPIC_PREFIX: must be"))
        .contains("EGRESS_ATTEMPT_TIMEOUTR is not a setting of this service");
  }

  /** A setting is added only if a user would know what to set. */
  @Test
  void areFew() {
    assertThat(Settings.descriptions()).hasSizeLessThan(50);
  }

  @Test
  void sharesTheHeapAndAlwaysTakesTheLargestCapture() {
    MemoryShares shares = MemoryShares.of(16 << 20, 512L << 20);
    assertThat(shares.hookBytes()).isEqualTo(256L << 20);
    assertThat(shares.problem(512L << 20)).isEmpty();

    MemoryShares large = MemoryShares.of(64 << 20, 512L << 20);
    assertThat(large.hookBytes()).isEqualTo(1L << 30);
    assertThat(large.problem(512L << 20))
        .hasValueSatisfying(problem ->
            assertThat(problem)
                .contains("EGRESS_MAX_CAPTURE_SIZE", "1024MiB", "-Xmx should be 2048MiB"));
  }

  @Test
  void pausesNoEndpointUnlessAsked() {
    assertThat(Settings.from(environment(Map.of())).dispatcher().failing())
        .isEqualTo(new FailingSettings(null, null));
    FailingSettings failing =
        Settings.from(
                environment(
                    Map.of(
                        "EGRESS_PAUSE_FAILING_AFTER", "5d",
                        "EGRESS_OPERATOR_WEBHOOK_URL", "https://ops.example/hook",
                        "EGRESS_OPERATOR_WEBHOOK_SECRET", "withheld-secret")))
            .dispatcher()
            .failing();
    assertThat(failing.pauseAfter()).isEqualTo(Duration.ofDays(5));
    assertThat(failing.toString()).doesNotContain("withheld-secret");
    assertThat(
            faults(
                Map.of(
                    "EGRESS_PAUSE_FAILING_AFTER", "0s",
                    "EGRESS_OPERATOR_WEBHOOK_URL", "ftp://ops.example")))
        .contains(
            "EGRESS_PAUSE_FAILING_AFTER: must be longer than 0",
            "EGRESS_OPERATOR_WEBHOOK_URL: must be a URL such as https://host/path",
            "EGRESS_OPERATOR_WEBHOOK_SECRET is required with EGRESS_OPERATOR_WEBHOOK_URL");
  }

  @Test
  void readsAProxyWithoutShowingItsPassword() {
    assertThat(Settings.from(environment(Map.of())).push().proxy()).isNull();
    PushSettings push =
        Settings.from(
                environment(
                    Map.of(
                        "EGRESS_PROXY", "http://egress:withheld-secret@proxy.example:3128",
                        "EGRESS_NO_PROXY", "10.0.0.0/8, partner.example")))
            .push();
    assertThat(push.proxy()).hasToString("proxy.example:3128");
    assertThat(push.toString()).doesNotContain("withheld-secret");
    assertThat(
            faults(
                Map.of(
                    "EGRESS_PROXY", "https://egress:withheld-secret@proxy.example:3128",
                    "EGRESS_NO_PROXY", "*.example")))
        .hasSize(2)
        .anySatisfy(fault -> assertThat(fault).startsWith("EGRESS_PROXY: must be http://host"))
        .anySatisfy(fault -> assertThat(fault).startsWith("EGRESS_NO_PROXY: must be host names"))
        .allSatisfy(fault -> assertThat(fault).doesNotContain("withheld-secret"));
    assertThat(faults(Map.of("EGRESS_NO_PROXY", "10.0.0.0/8")))
        .containsExactly("EGRESS_PROXY is required with EGRESS_NO_PROXY");
  }

  @Test
  void readsAClientCertificateWithItsKey(@TempDir Path folder) throws IOException {
    CertificateAuthority authority = new CertificateAuthority();
    Issued issued = authority.issueFor();
    Issued expired = authority.issueExpired();
    String chain = issued.writeCertificate(folder.resolve("client.pem")).toString();
    String key = issued.writeKey(folder.resolve("key.pem")).toString();
    String other = authority.issueFor().writeKey(folder.resolve("other.pem")).toString();
    String old = expired.writeCertificate(folder.resolve("old.pem")).toString();
    String oldKey = expired.writeKey(folder.resolve("old-key.pem")).toString();
    String encrypted =
        Files.writeString(
                folder.resolve("encrypted.pem"),
                issued.key().replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY"))
            .toString();

    assertThat(Settings.from(environment(Map.of())).push().clientCertificate()).isNull();
    assertThat(
            Settings.from(
                    environment(
                        Map.of("EGRESS_CLIENT_CERTIFICATE", chain, "EGRESS_CLIENT_KEY", key)))
                .push()
                .clientCertificate())
        .isNotNull();
    assertCertificateFault(chain, other, "the private key is not that of the certificate");
    assertCertificateFault(old, oldKey, "the certificate expired at ");
    assertCertificateFault(chain, encrypted, "unencrypted key in PKCS#8 form");
    assertCertificateFault(key, key, "contains an invalid certificate");
    assertCertificateFault(chain, folder.resolve("nowhere").toString(), "is not there");
    assertThat(faults(Map.of("EGRESS_CLIENT_CERTIFICATE", chain)))
        .containsExactly("EGRESS_CLIENT_KEY is required with EGRESS_CLIENT_CERTIFICATE");
  }

  private static void assertCertificateFault(String chain, String key, String fault) {
    assertThat(faults(Map.of("EGRESS_CLIENT_CERTIFICATE", chain, "EGRESS_CLIENT_KEY", key)))
        .singleElement()
        .asString()
        .startsWith("EGRESS_CLIENT_")
        .contains(fault);
  }

  @Test
  void requiresSettingsWithoutADefault() {
    assertThat(
            catchThrowableOfType(SettingsException.class, () -> Settings.from(Map.of())).faults())
        .anySatisfy(fault -> assertThat(fault).startsWith("EGRESS_DATABASE_URL is required"))
        .anySatisfy(fault -> assertThat(fault).startsWith("EGRESS_KAFKA_BOOTSTRAP is required"))
        .anySatisfy(fault -> assertThat(fault).startsWith("EGRESS_INTERNAL_TOKEN is required"));
  }

  @Test
  void neverPrintsSecrets() {
    assertThat(Settings.from(environment(Map.of())).toString()).doesNotContain(SECRET);
    assertThat(faults(Map.of("EGRESS_INTERNAL_TOKEN", "short")).toString()).doesNotContain("short");
  }

  @Test
  void readsTheEndpointPolicy() {
    PushSettings defaults = Settings.from(environment(Map.of())).push();
    PushSettings given =
        Settings.from(
                environment(
                    Map.of(
                        "EGRESS_SECRET_KEY", SecretBox.newKey() + ",old:" + SecretBox.newKey(),
                        "EGRESS_ALLOW_HTTP_ENDPOINTS", "true",
                        "EGRESS_ALLOW_ENDPOINT_NETWORKS", "127.0.0.0/8, fd00::/8")))
            .push();

    InetAddress loopback = InetAddress.getLoopbackAddress();
    assertThat(defaults.secretBox()).isNull();
    assertThat(defaults.allowHttpEndpoints()).isFalse();
    assertThat(defaults.addressPolicy().permits(loopback)).isFalse();
    assertThat(given.secretBox()).isNotNull();
    assertThat(given.allowHttpEndpoints()).isTrue();
    assertThat(given.addressPolicy().permits(loopback)).isTrue();
  }

  @Test
  void deniedNetworksGoBeforeAllowedOnes() throws Exception {
    AddressPolicy policy =
        Settings.from(
                environment(
                    Map.of(
                        "EGRESS_ALLOW_ENDPOINT_NETWORKS", "10.0.0.0/8,2a05:d01c::/32",
                        "EGRESS_DENY_ENDPOINT_NETWORKS", "10.1.0.0/16, 2a05:d01c:8::/48,8.8.8.8")))
            .push()
            .addressPolicy();

    for (String denied :
        List.of("10.1.2.3", "2a05:d01c:8::5", "8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::a01:203")) {
      assertThat(policy.refusal(InetAddress.getByName(denied)))
          .as(denied)
          .contains("denied by the operator")
          .doesNotContain("/");
    }
    for (String allowed : List.of("10.2.0.1", "2a05:d01c:9::5", "8.8.4.4")) {
      assertThat(policy.permits(InetAddress.getByName(allowed))).as(allowed).isTrue();
    }
    assertThat(faults(Map.of("EGRESS_DENY_ENDPOINT_NETWORKS", "10.0.0.1/8")))
        .singleElement(InstanceOfAssertFactories.STRING)
        .startsWith("EGRESS_DENY_ENDPOINT_NETWORKS: ");
  }

  @Test
  void reportsEveryFaultOfPushWithoutShowingAKey() {
    String key = SecretBox.newKey();
    assertThat(
            faults(
                Map.of(
                    "EGRESS_SECRET_KEY", key + "," + key.substring(1),
                    "EGRESS_ALLOW_HTTP_ENDPOINTS", "yes",
                    "EGRESS_ALLOW_ENDPOINT_NETWORKS", "10.0.0.1/8")))
        .hasSize(3)
        .anySatisfy(fault -> assertThat(fault).startsWith("EGRESS_SECRET_KEY: must be the base64"))
        .anySatisfy(fault -> assertThat(fault).startsWith("EGRESS_ALLOW_HTTP_ENDPOINTS: must be"))
        .anySatisfy(fault -> assertThat(fault).startsWith("EGRESS_ALLOW_ENDPOINT_NETWORKS: \"10."))
        .allSatisfy(fault -> assertThat(fault).doesNotContain(key.substring(1)));
  }

  @Test
  void theApiNeedsTwoPortsAndAUrlForPagesToEmbed() {
    Settings.from(environment(Map.of())).requireForApi();
    Settings.from(environment(Map.of("EGRESS_PUBLIC_PORT", "0", "EGRESS_INTERNAL_PORT", "0")))
        .requireForApi();
    Settings.from(
            environment(
                Map.of(
                    "EGRESS_PUBLIC_PORT", "9000",
                    "EGRESS_PUBLIC_HOST", "10.0.0.1",
                    "EGRESS_INTERNAL_PORT", "9000")))
        .requireForApi();
    Settings wrong =
        Settings.from(
            environment(
                Map.of(
                    "EGRESS_INTERNAL_HOST", "0.0.0.0",
                    "EGRESS_INTERNAL_PORT", "8080",
                    "EGRESS_PORTAL_ANCESTORS", "https://app.example.com")));
    assertThatThrownBy(wrong::requireForApi)
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("EGRESS_PUBLIC_PORT and EGRESS_INTERNAL_PORT are both 8080")
        .hasMessageContaining("EGRESS_PORTAL_URL is required with EGRESS_PORTAL_ANCESTORS");
  }

  @Test
  void readsThePortalUrl() {
    PortalSettings given =
        Settings.from(
                environment(
                    Map.of(
                        "EGRESS_PORTAL_URL", "https://example.com:8443/egress/",
                        "EGRESS_PORTAL_ANCESTORS",
                            "https://app.example.com, http://localhost:3000")))
            .api()
            .portal();

    assertThat(given.url()).hasToString("https://example.com:8443/egress");
    assertThat(given.ancestors())
        .containsExactly("https://app.example.com", "http://localhost:3000");
    assertThat(Settings.from(environment(Map.of())).api().portal().url()).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "egress.example.com",
        "ftp://example.com",
        "https://user@example.com",
        "https://example.com/?a=b",
        "https://example.com/#a",
        "https://example.com/a;b",
        "https:///portal",
        "https://example.com/a b"
      })
  void refusesInvalidPortalUrls(String url) {
    assertThat(faults(Map.of("EGRESS_PORTAL_URL", url)))
        .singleElement(InstanceOfAssertFactories.STRING)
        .startsWith("EGRESS_PORTAL_URL: ");
  }

  /** Whatever is taken stands in the content security policy of every page. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "*",
        "app.example.com",
        "https://app.example.com/",
        "https://*.example.com",
        "https://a.example; script-src *",
        "https://a.example 'unsafe-inline'",
        "https://a.example\r\nset-cookie: a=b",
        "'none'"
      })
  void refusesInvalidOrigins(String origin) {
    assertThat(faults(Map.of("EGRESS_PORTAL_ANCESTORS", origin)))
        .singleElement(InstanceOfAssertFactories.STRING)
        .startsWith("EGRESS_PORTAL_ANCESTORS: ");
  }

  @Test
  void embeddingNeedsHttps() {
    Map<String, String> environment =
        Map.of(
            "EGRESS_PORTAL_URL", "http://egress.internal",
            "EGRESS_PORTAL_ANCESTORS", "https://app.example.com");
    assertThat(faults(environment))
        .containsExactly("EGRESS_PORTAL_ANCESTORS: embedding requires an https EGRESS_PORTAL_URL");
  }

  @Test
  void refusesALogRetentionBelowTheRetrySchedule() {
    assertThat(faults(Map.of("EGRESS_DELIVERY_LOG_RETENTION", "2d")))
        .singleElement(InstanceOfAssertFactories.STRING)
        .startsWith("EGRESS_DELIVERY_LOG_RETENTION: must be at least 3d:");
    assertThat(
            Settings.from(
                    environment(
                        Map.of(
                            "EGRESS_DELIVERY_LOG_RETENTION", "2d",
                            "EGRESS_RETRY_SCHEDULE", "1m,1h")))
                .dispatcher()
                .logRetention())
        .isEqualTo(Duration.ofDays(2));
  }

  /** The log is dropped by the day, and what is kept is never less than what was set. */
  @ParameterizedTest
  @CsvSource({"49h, 3", "56h, 3", "72h, 3", "73h, 4", "30d, 30"})
  void keepsTheLogForWholeDays(String retention, int days) {
    assertThat(
            Settings.from(environment(Map.of("EGRESS_DELIVERY_LOG_RETENTION", retention)))
                .dispatcher()
                .logRetention())
        .isEqualTo(Duration.ofDays(days));
  }

  @Test
  void printsNoSecretKey() {
    String key = SecretBox.newKey();
    Settings settings = Settings.from(environment(Map.of("EGRESS_SECRET_KEY", key)));
    assertThat(settings.push().toString() + settings).doesNotContain(key);
  }

  @Test
  void readsTheLogSettings() {
    LogSettings defaults = Settings.from(environment(Map.of())).process().log();
    LogSettings given =
        Settings.from(
                environment(
                    Map.of(
                        "EGRESS_LOG_FORMAT", "json",
                        "EGRESS_LOG_LEVEL", "DEBUG",
                        "EGRESS_ACCESS_LOG", "false")))
            .process()
            .log();

    assertThat(defaults).isEqualTo(new LogSettings(LogSettings.Format.TEXT, Level.INFO, true));
    assertThat(given).isEqualTo(new LogSettings(LogSettings.Format.JSON, Level.DEBUG, false));
  }

  @Test
  void reportsInvalidLogSettingsAndUsesDefaults() {
    Map<String, String> wrong =
        Map.of(
            "EGRESS_LOG_FORMAT", "xml",
            "EGRESS_LOG_LEVEL", "loud",
            "EGRESS_ACCESS_LOG", "1");

    assertThat(faults(wrong))
        .containsExactlyInAnyOrder(
            "EGRESS_LOG_FORMAT: must be one of text, json, not \"xml\"",
            "EGRESS_LOG_LEVEL: must be one of error, warn, info, debug, trace, not \"loud\"",
            "EGRESS_ACCESS_LOG: must be true or false, not \"1\"");
    assertThat(LogSettings.orDefaults(wrong))
        .isEqualTo(new LogSettings(LogSettings.Format.TEXT, Level.INFO, true));
  }

  @Test
  void describesEachSettingOnce() {
    assertThat(Settings.descriptions())
        .extracting(SettingDescription::name)
        .doesNotHaveDuplicates();
  }

  private static List<String> faults(Map<String, String> changes) {
    return catchThrowableOfType(SettingsException.class, () -> Settings.from(environment(changes)))
        .faults();
  }

  private static Map<String, String> environment(Map<String, String> changes) {
    Map<String, String> environment = new HashMap<>();
    environment.put("EGRESS_DATABASE_URL", "postgresql://u:p@localhost:5432/egress");
    environment.put("EGRESS_KAFKA_BOOTSTRAP", "localhost:9092");
    environment.put("EGRESS_INTERNAL_TOKEN", SECRET);
    environment.put("PATH", "/bin");
    environment.putAll(changes);
    return environment;
  }
}
