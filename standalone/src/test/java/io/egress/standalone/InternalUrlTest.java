package io.egress.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.cli.Program;
import io.egress.standalone.receiver.LocalCertificate;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Commands reach the internal API through TLS, and give its token to nobody else. */
@Isolated("the JVM has one default TLS context")
class InternalUrlTest {
  private final Vertx vertx = Vertx.vertx();
  private final LocalCertificate certificate = LocalCertificate.make();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final StringWriter printed = new StringWriter();
  private String url;

  @BeforeEach
  void start() throws Exception {
    HttpServer server =
        vertx
            .createHttpServer(
                new HttpServerOptions()
                    .setSsl(true)
                    .setKeyCertOptions(certificate.keyCertOptions()))
            .requestHandler(request -> {
              asked.add(request.path() + " " + request.getHeader("authorization"));
              request.response().end("{\"api_keys\":[],\"pageInfo\":{\"hasNextPage\":false}}");
            })
            .listen(0, "127.0.0.1")
            .await(10, TimeUnit.SECONDS);
    url = "https://localhost:" + server.actualPort() + "/egress/";
  }

  @AfterEach
  void stop() throws Exception {
    certificate.close();
    vertx.close().await(10, TimeUnit.SECONDS);
  }

  @Test
  void aTrustedServerIsAskedUnderItsPath() throws Exception {
    SSLContext before = SSLContext.getDefault();
    SSLContext.setDefault(trusting(certificate));
    try {
      assertThat(run(Map.of("EGRESS_INTERNAL_URL", url))).as("%s", printed).isZero();
      assertThat(run(Map.of(), "--internal-url", url)).as("%s", printed).isZero();
    } finally {
      SSLContext.setDefault(before);
    }
    assertThat(asked)
        .hasSize(2)
        .allMatch(line ->
            line.startsWith("/egress/internal/v1/workspaces/") && line.endsWith(" Bearer token"));
  }

  @Test
  void aServerThatIsNotTrustedGetsNoToken() {
    assertThat(run(Map.of("EGRESS_INTERNAL_URL", url))).isEqualTo(1);

    assertThat(printed.toString()).contains("localhost", "certif");
    assertThat(asked).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"localhost:8081", "ftp://localhost", "https://user@localhost", "https://"})
  void anythingElseIsAnErrorOfTheCommandLine(String other) {
    assertThat(run(Map.of(), "--internal-url", other)).isEqualTo(CommandLine.ExitCode.USAGE);
  }

  @ParameterizedTest
  @CsvSource({"EGRESS_INTERNAL_URL, egress.example.com", "EGRESS_INTERNAL_PORT, many"})
  void aWrongSettingIsNamed(String setting, String value) {
    assertThat(run(Map.of(setting, value))).isEqualTo(CommandLine.ExitCode.USAGE);

    assertThat(printed.toString()).startsWith(setting + ": expected").contains(value);
  }

  /** What is typed goes before what is set. */
  @Test
  void hostAndPortGoBeforeTheSetting() {
    assertThat(run(Map.of("EGRESS_INTERNAL_URL", url), "--port", "1")).isEqualTo(1);

    assertThat(printed.toString()).contains("http://127.0.0.1:1/internal/v1 does not answer");
  }

  private int run(Map<String, String> settings, String... options) {
    Map<String, String> environment = new HashMap<>(settings);
    environment.put("EGRESS_INTERNAL_TOKEN", "token");
    PrintWriter out = new PrintWriter(printed);
    CommandLine line = Main.program().whole(environment).setOut(out).setErr(out);
    String[] arguments = new String[options.length + 3];
    arguments[0] = "keys";
    arguments[1] = "list";
    arguments[2] = "00000000-0000-0000-0000-000000000001";
    System.arraycopy(options, 0, arguments, 3, options.length);
    return Program.execute(line, arguments);
  }

  private static SSLContext trusting(LocalCertificate certificate) throws Exception {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    try (InputStream pem = Files.newInputStream(certificate.pem())) {
      trusted.setCertificateEntry(
          "server", CertificateFactory.getInstance("X.509").generateCertificate(pem));
    }
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }
}
