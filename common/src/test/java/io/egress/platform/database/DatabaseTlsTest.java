package io.egress.platform.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.embedded.EmbeddedBackends;
import io.egress.embedded.EmbeddedOptions;
import io.egress.testing.CertificateAuthority;
import io.egress.testing.CertificateAuthority.Issued;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The pool and the migrations on a server that has a certificate for localhost alone. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DatabaseTlsTest {
  private static final Duration SHORT = Duration.ofSeconds(5);
  private static final String ENCRYPTED =
      "select ssl from pg_stat_ssl where pid = pg_backend_pid()";

  private final Path folder;
  private final Vertx vertx = Vertx.vertx();
  private final CertificateAuthority authority = new CertificateAuthority();
  private final EmbeddedBackends backends =
      EmbeddedBackends.start(EmbeddedOptions.scratch().unsynced().withoutKafka());
  private String ca = "";
  private String strangersCa = "";

  DatabaseTlsTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @BeforeAll
  void giveTheServerACertificate() throws IOException, SQLException {
    ca = authority.writePem(folder).toString();
    strangersCa =
        new CertificateAuthority()
            .writePem(Files.createDirectory(folder.resolve("stranger")))
            .toString();
    Issued issued = authority.issueFor("localhost");
    write("server.crt", issued.certificate());
    write("server.key", issued.key());
    write("client-ca.crt", authority.pem());
    execute("alter system set ssl_ca_file = 'client-ca.crt'");
    turnTls("on");
  }

  @AfterEach
  void turnTlsOn() throws SQLException {
    turnTls("on");
  }

  @AfterAll
  void close() throws TimeoutException {
    vertx.close().await(20, TimeUnit.SECONDS);
    backends.close();
  }

  @Test
  void connectsAsTheModeRequires() throws Exception {
    assertThat(isEncrypted(localhost(""))).isFalse();
    assertThat(isEncrypted(localhost("?sslmode=disable"))).isFalse();
    assertThat(isEncrypted(localhost("?sslmode=prefer"))).isTrue();
    assertThat(isEncrypted(localhost("?sslmode=require"))).isTrue();
    assertThat(isEncrypted(localhost("?sslmode=verify-ca&sslrootcert=" + ca))).isTrue();
    assertThat(isEncrypted(localhost("?sslmode=verify-full&sslrootcert=" + ca))).isTrue();
  }

  @Test
  void verifiesTheHostNameInFullModeOnly() throws Exception {
    assertThat(isEncrypted(address("?sslmode=verify-ca&sslrootcert=" + ca))).isTrue();
    assertRefused(address("?sslmode=verify-full&sslrootcert=" + ca));
  }

  @Test
  void refusesAnUntrustedServer() {
    assertRefused(localhost("?sslmode=verify-ca&sslrootcert=" + strangersCa));
    assertRefused(localhost("?sslmode=verify-full&sslrootcert=system"));
  }

  @Test
  void skipsTlsOnlyIfConfigured() throws Exception {
    turnTls("off");

    assertThat(isEncrypted(localhost("?sslmode=prefer"))).isFalse();
    assertRefused(localhost("?sslmode=require"));
    assertRefused(localhost("?sslmode=verify-full&sslrootcert=" + ca));
  }

  @Test
  void presentsAClientCertificate() throws Exception {
    Issued identity = authority.issueFor("egress");
    String query =
        "?sslmode=verify-full&sslrootcert=%s&sslcert=%s&sslkey=%s"
            .formatted(
                ca,
                identity.writeCertificate(folder.resolve("client.crt")),
                identity.writeKey(folder.resolve("client.key")));
    String shown = "select client_dn from pg_stat_ssl where pid = pg_backend_pid()";

    assertThat(ofPool(localhost(query), shown)).isEqualTo("/CN=receiver");
    assertThat(ofJdbc(localhost(query), shown)).isEqualTo("/CN=receiver");
  }

  private boolean isEncrypted(String url) throws Exception {
    Object ofPool = ofPool(url, ENCRYPTED);
    assertThat(ofJdbc(url, ENCRYPTED)).as("both clients of %s", url).isEqualTo(ofPool);
    Migrations.run(vertx, url).await(60, TimeUnit.SECONDS);
    return (Boolean) ofPool;
  }

  private void assertRefused(String url) {
    assertThatThrownBy(() -> ofPool(url, ENCRYPTED)).hasMessageNotContaining("timeout");
    assertThatThrownBy(() -> ofJdbc(url, ENCRYPTED)).isInstanceOf(SQLException.class);
  }

  private Object ofPool(String url, String query) throws TimeoutException {
    Pool pool =
        Database.pool(
            vertx,
            new DatabaseSettings(
                url,
                null,
                8,
                DatabaseSettings.Pooler.NONE,
                null,
                new DatabaseSettings.Timeouts(SHORT, SHORT, SHORT, SHORT)),
            "test",
            1);
    try {
      return pool.query(query)
          .execute()
          .map(rows -> rows.iterator().next().getValue(0))
          .await(20, TimeUnit.SECONDS);
    } finally {
      pool.close().await(20, TimeUnit.SECONDS);
    }
  }

  private static Object ofJdbc(String url, String query) throws SQLException {
    try (Connection connection = ConnectOptions.forJdbc(DatabaseUrl.parse(url)).getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getObject(1);
    }
  }

  private String address(String query) {
    return backends.databaseUrl() + query;
  }

  private String localhost(String query) {
    return address(query).replace("@127.0.0.1:", "@localhost:");
  }

  private void turnTls(String state) throws SQLException {
    execute("alter system set ssl = " + state);
    execute("select pg_reload_conf()");
    Awaitility.await().until(() -> ofJdbc(backends.databaseUrl(), "show ssl").equals(state));
  }

  /** By the server itself, which does not take a key that anybody else can read. */
  private void write(String file, String text) throws SQLException {
    execute(
        "copy (select unnest(array['%s'])) to program 'umask 077; cat > %s'"
            .formatted(String.join("','", text.lines().toList()), file));
  }

  private void execute(String sql) throws SQLException {
    DatabaseUrl url = DatabaseUrl.parse(backends.databaseUrl());
    try (Connection connection =
            DriverManager.getConnection(
                "jdbc:postgresql://%s".formatted(url), url.user(), url.password());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
