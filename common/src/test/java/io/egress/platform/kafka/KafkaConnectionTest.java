package io.egress.platform.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.egress.embedded.BrokerListener;
import io.egress.embedded.Durability;
import io.egress.embedded.KafkaBroker;
import io.egress.settings.Settings;
import io.egress.testing.CertificateAuthority;
import io.egress.testing.CertificateAuthority.Issued;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Admin client, producer and consumer at a broker with authentication. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KafkaConnectionTest {
  private static final String USER = "egress";
  private static final String PASSWORD = "it's \"quoted\" \\ and back;";
  private static final String TELLING_PART_OF_PASSWORD = "quoted";
  private static final int SCRAM_ITERATIONS = 4_096;
  private static final long PATIENCE_SECONDS = 60;

  private final Path folder;
  private final Vertx vertx = Vertx.vertx();
  private final CertificateAuthority authority = new CertificateAuthority();
  private final KafkaBroker broker;
  private final String ca;

  KafkaConnectionTest(@TempDir Path folder) {
    this.folder = folder;
    this.ca = authority.writePem(folder).toString();
    this.broker =
        KafkaBroker.start(
            folder.resolve("kafka"),
            Durability.UNSYNCED,
            List.of(
                new BrokerListener("MUTUAL", "SSL", mutual()),
                new BrokerListener("LOGIN", "SASL_SSL", login()),
                new BrokerListener("CLEAR", "SASL_PLAINTEXT", plain())),
            List.of());
  }

  @BeforeAll
  void addUser() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      for (ScramMechanism mechanism :
          List.of(ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512)) {
        admin.alterUserScramCredentials(List.of(credential(mechanism))).all().get();
      }
    }
  }

  @AfterAll
  void close() throws TimeoutException {
    vertx.close().await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    broker.close();
  }

  @Test
  void logsInByEachMechanismOverTls() throws Exception {
    for (String mechanism : List.of("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")) {
      assertWorks(loggedIn("LOGIN", "SASL_SSL", mechanism, PASSWORD));
    }
  }

  @Test
  void logsInWithoutTlsIfConfigured() throws Exception {
    assertWorks(loggedIn("CLEAR", "SASL_PLAINTEXT", "PLAIN", PASSWORD));
  }

  @Test
  void presentsAClientCertificateToABrokerThatRequiresOne() throws Exception {
    Issued identity = authority.issueFor("egress");
    Path both = folder.resolve("client.pem");
    Files.writeString(both, identity.key() + identity.certificate());
    assertWorks(
        settings("MUTUAL", tls("SSL") + "ssl.keystore.type=PEM\nssl.keystore.location=" + both));
  }

  /** As an operator of Kubernetes mounts it. */
  @Test
  void readsCredentialsFromFilesOfTheirOwn() throws Exception {
    Path secret = Files.createDirectory(folder.resolve("secret"));
    Files.writeString(secret.resolve("sasl.jaas.config"), jaas("SCRAM-SHA-512", PASSWORD));
    assertWorks(
        settings(
            "LOGIN",
            tls("SASL_SSL")
                + """
                sasl.mechanism=SCRAM-SHA-512
                sasl.jaas.config=${files:%s:sasl.jaas.config}
                config.providers=files
                config.providers.files.class=org.apache.kafka.common.config.provider.DirectoryConfigProvider
                """
                    .formatted(secret)));
  }

  @Test
  void isRefusedWithoutTheRequiredCredentials() {
    assertThatThrownBy(() -> assertWorks(loggedIn("LOGIN", "SASL_SSL", "SCRAM-SHA-512", "another")))
        .hasRootCauseInstanceOf(SaslAuthenticationException.class)
        .hasMessageNotContaining("another");
    assertThatThrownBy(() -> assertWorks(settings("MUTUAL", tls("SSL"))))
        .hasMessageContaining("SslAuthenticationException");
  }

  @Test
  void refusesAnUntrustedBroker() {
    assertThatThrownBy(() ->
            assertWorks(
                settings("LOGIN", "security.protocol=SASL_SSL\n" + login("PLAIN", PASSWORD))))
        .hasStackTraceContaining(SslAuthenticationException.class.getName());
  }

  @Test
  void logsNoPassword() throws Exception {
    Logger kafka = (Logger) LoggerFactory.getLogger("org.apache.kafka");
    Level before = kafka.getLevel();
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.list = new CopyOnWriteArrayList<>();
    logged.start();
    kafka.addAppender(logged);
    kafka.setAdditive(false);
    kafka.setLevel(Level.DEBUG);
    try {
      assertWorks(loggedIn("LOGIN", "SASL_SSL", "SCRAM-SHA-512", PASSWORD));
    } finally {
      kafka.setLevel(before);
      kafka.setAdditive(true);
      kafka.detachAppender(logged);
    }

    assertThat(logged.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .anyMatch(line -> line.contains("sasl.jaas.config = [hidden]"))
        .noneMatch(line -> line.contains(TELLING_PART_OF_PASSWORD));
  }

  private void assertWorks(KafkaSettings settings) throws Exception {
    String topic = "works." + UUID.randomUUID();
    TopicAdmin.ensure(vertx, settings, List.of(NeededTopic.undelayed(topic)))
        .await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    RecordPublisher publisher =
        new RecordPublisher(vertx, KafkaClients.producer(vertx, settings), Clock.systemUTC());
    publisher
        .publish(List.of(new RecordPublisher.Message(topic, "key", Buffer.buffer("value"))))
        .await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    publisher.close().await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(read(settings, topic)).isEqualTo("value");
  }

  private static String read(KafkaSettings settings, String topic) {
    Map<String, Object> properties = new HashMap<>(ConnectionProperties.of(settings));
    properties.put("group.id", topic);
    properties.put("auto.offset.reset", "earliest");
    properties.put("key.deserializer", ByteArrayDeserializer.class.getName());
    properties.put("value.deserializer", ByteArrayDeserializer.class.getName());
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties)) {
      consumer.subscribe(List.of(topic));
      for (int i = 0; i < PATIENCE_SECONDS; i++) {
        ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofSeconds(1));
        if (!records.isEmpty()) {
          return new String(records.iterator().next().value(), UTF_8);
        }
      }
      return "";
    }
  }

  private KafkaSettings loggedIn(
      String listener, String protocol, String mechanism, String password) {
    return settings(
        listener,
        (protocol.endsWith("SSL") ? tls(protocol) : "security.protocol=" + protocol + "\n")
            + login(mechanism, password));
  }

  private String tls(String protocol) {
    return "security.protocol=%s\nssl.truststore.type=PEM\nssl.truststore.location=%s\n"
        .formatted(protocol, ca);
  }

  private static String login(String mechanism, String password) {
    return "sasl.mechanism=%s\nsasl.jaas.config=%s\n"
        .formatted(mechanism, jaas(mechanism, password).replace("\\", "\\\\"));
  }

  private static String jaas(String mechanism, String password) {
    return "org.apache.kafka.common.security.%s required username=\"%s\" password=\"%s\";"
        .formatted(
            mechanism.equals("PLAIN") ? "plain.PlainLoginModule" : "scram.ScramLoginModule",
            USER,
            password.replace("\\", "\\\\").replace("\"", "\\\""));
  }

  private KafkaSettings settings(String listener, String properties) {
    Map<String, String> environment = new HashMap<>();
    environment.put("EGRESS_KAFKA_PROPERTIES", written(properties).toString());
    environment.put("EGRESS_KAFKA_BOOTSTRAP", broker.bootstrap(listener));
    environment.put("EGRESS_DATABASE_URL", "postgresql://u:p@localhost/egress");
    environment.put("EGRESS_INTERNAL_TOKEN", "a-token-of-the-internal-api");
    environment.put("EGRESS_TOPIC_PARTITIONS", "1");
    return Settings.from(environment).kafka();
  }

  private Path written(String properties) {
    try {
      return Files.writeString(Files.createTempFile(folder, "kafka", ".properties"), properties);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private Map<String, String> mutual() {
    Map<String, String> settings = new HashMap<>(certificate());
    settings.put("ssl.client.auth", "required");
    return settings;
  }

  private Map<String, String> login() {
    Map<String, String> settings = new HashMap<>(certificate());
    settings.putAll(plain());
    settings.put("sasl.enabled.mechanisms", "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512");
    for (String mechanism : List.of("scram-sha-256", "scram-sha-512")) {
      settings.put(
          mechanism + ".sasl.jaas.config",
          "org.apache.kafka.common.security.scram.ScramLoginModule required;");
    }
    return settings;
  }

  private static Map<String, String> plain() {
    String password = PASSWORD.replace("\\", "\\\\").replace("\"", "\\\"");
    return Map.of(
        "sasl.enabled.mechanisms",
        "PLAIN",
        "plain.sasl.jaas.config",
        "org.apache.kafka.common.security.plain.PlainLoginModule required user_%s=\"%s\";"
            .formatted(USER, password));
  }

  private Map<String, String> certificate() {
    Issued issued = authority.issueFor("127.0.0.1");
    return Map.of(
        "ssl.keystore.type", "PEM",
        "ssl.keystore.certificate.chain", issued.certificate(),
        "ssl.keystore.key", issued.key(),
        "ssl.truststore.type", "PEM",
        "ssl.truststore.certificates", authority.pem());
  }

  private static UserScramCredentialAlteration credential(ScramMechanism mechanism) {
    return new UserScramCredentialUpsertion(
        USER, new ScramCredentialInfo(mechanism, SCRAM_ITERATIONS), PASSWORD);
  }
}
