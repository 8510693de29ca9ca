package io.egress.settings;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Security of connections to the brokers.
 *
 * @param login only with SASL
 * @param authorities of the brokers' certificates; null for the JDK's
 * @param identity the client certificate, for brokers that request one
 */
public record KafkaSecurity(
    Protocol protocol,
    @Nullable Login login,
    @Nullable PemFile authorities,
    @Nullable Identity identity) {
  public static final KafkaSecurity NONE = new KafkaSecurity(Protocol.PLAINTEXT, null, null, null);

  /** Named as in Kafka. */
  public enum Protocol {
    PLAINTEXT,
    SSL,
    SASL_PLAINTEXT,
    SASL_SSL;

    boolean usesTls() {
      return this == SSL || this == SASL_SSL;
    }

    boolean usesSasl() {
      return this == SASL_PLAINTEXT || this == SASL_SSL;
    }
  }

  public enum Mechanism {
    PLAIN("PLAIN"),
    SCRAM_SHA_256("SCRAM-SHA-256"),
    SCRAM_SHA_512("SCRAM-SHA-512");

    private final String word;

    Mechanism(String word) {
      this.word = word;
    }

    /** Named as in Kafka. */
    public String word() {
      return word;
    }

    static Mechanism parse(String text) {
      return Arrays.stream(values())
          .filter(mechanism -> mechanism.word.equals(text))
          .findFirst()
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "must be PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512, not \"" + text + "\""));
    }
  }

  public record Login(Mechanism mechanism, String username, String password) {
    public Login {
      requireNonNull(mechanism, "mechanism is null");
      requireNonNull(username, "username is null");
      requireNonNull(password, "password is null");
    }

    @Override
    public String toString() {
      return mechanism.word() + " as " + username;
    }
  }

  /** A certificate chain and its key. */
  public record Identity(PemFile certificate, PemFile key) {
    public Identity {
      requireNonNull(certificate, "certificate is null");
      requireNonNull(key, "key is null");
    }
  }

  public KafkaSecurity {
    requireNonNull(protocol, "protocol is null");
  }

  static KafkaSecurity read(SettingsReader reader) {
    Protocol protocol =
        reader.parsed(
            "EGRESS_KAFKA_SECURITY_PROTOCOL",
            "PLAINTEXT",
            "security of connections to the brokers: PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL",
            KafkaSecurity::protocol);
    Mechanism mechanism =
        reader.parsed(
            "EGRESS_KAFKA_SASL_MECHANISM",
            "SCRAM-SHA-512",
            "SASL mechanism: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512",
            Mechanism::parse);
    String username = reader.optional("EGRESS_KAFKA_USERNAME", "user name for the brokers");
    String password =
        reader.optional("EGRESS_KAFKA_PASSWORD", "the password of EGRESS_KAFKA_USERNAME");
    PemFile authorities =
        reader.optional(
            "EGRESS_KAFKA_CA",
            "PEM file of the authorities of the brokers' certificates, instead of the JDK's",
            PemFile::certificates);
    PemFile certificate =
        reader.optional(
            "EGRESS_KAFKA_CERTIFICATE",
            "PEM file of the client certificate and its chain, for brokers that request one",
            PemFile::certificates);
    PemFile key =
        reader.optional(
            "EGRESS_KAFKA_KEY",
            "PEM file of the private key of EGRESS_KAFKA_CERTIFICATE, PKCS#8 and not encrypted",
            PemFile::pkcs8Key);
    pairs(reader, protocol);
    return new KafkaSecurity(
        protocol,
        username == null || password == null ? null : new Login(mechanism, username, password),
        authorities,
        certificate == null || key == null ? null : new Identity(certificate, key));
  }

  /** An ignored password would mean a connection less secure than intended. */
  private static void pairs(SettingsReader reader, Protocol protocol) {
    for (String name : List.of("EGRESS_KAFKA_USERNAME", "EGRESS_KAFKA_PASSWORD")) {
      if (protocol.usesSasl() && !reader.isGiven(name)) {
        reader.fault(name + " is required with " + protocol);
      }
      if (!protocol.usesSasl() && reader.isGiven(name)) {
        reader.fault(
            name + " is not used with " + protocol + ", only with SASL_SSL or SASL_PLAINTEXT");
      }
    }
    reader.bothOrNeither("EGRESS_KAFKA_CERTIFICATE", "EGRESS_KAFKA_KEY");
    for (String name : List.of("EGRESS_KAFKA_CA", "EGRESS_KAFKA_CERTIFICATE", "EGRESS_KAFKA_KEY")) {
      if (!protocol.usesTls() && reader.isGiven(name)) {
        reader.fault(name + " is not used with " + protocol + ", only with SSL or SASL_SSL");
      }
    }
  }

  private static Protocol protocol(String text) {
    return Arrays.stream(Protocol.values())
        .filter(protocol -> protocol.name().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "must be PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL, not \"" + text + "\""));
  }
}
