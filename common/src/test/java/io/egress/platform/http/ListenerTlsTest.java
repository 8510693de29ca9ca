package io.egress.platform.http;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.egress.platform.environment.TlsFiles;
import io.egress.testing.CertificateAuthority;
import io.egress.testing.CertificateAuthority.Issued;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A listener whose certificate is replaced while it is in use. */
class ListenerTlsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int EVENT_LOOPS = 2;

  private final Vertx vertx = Vertx.vertx();
  private final CertificateAuthority authority = new CertificateAuthority();
  private final Logger logger = (Logger) LoggerFactory.getLogger(CertificateWatch.class);
  private final ListAppender<ILoggingEvent> told = new ListAppender<>();
  private final TlsFiles files;
  private @Nullable Listener listener;

  ListenerTlsTest(@TempDir Path folder) {
    files = new TlsFiles(folder.resolve("certificate.pem"), folder.resolve("key.pem"));
  }

  @BeforeEach
  void listenToTheLog() {
    told.list = new CopyOnWriteArrayList<>();
    told.start();
    logger.addAppender(told);
  }

  @AfterEach
  void close() throws TimeoutException {
    if (listener != null) {
      await(listener.close());
    }
    await(vertx.close());
    logger.detachAppender(told);
  }

  @Test
  void servesANewCertificateToNewConnectionsAndKeepsTheOldOnes() throws Exception {
    Issued first = write(authority.issueFor("localhost"));
    open();
    try (Client before = new Client()) {
      assertThat(before.certificate()).isEqualTo(parsed(first));
      assertThat(before.answer()).startsWith("HTTP/1.1 200");

      Issued second = write(authority.issueFor("localhost"));
      Awaitility.await().until(() -> served().equals(parsed(second)));
      for (int i = 0; i < 4 * EVENT_LOOPS; i++) {
        assertThat(served()).as("on every event loop").isEqualTo(parsed(second));
      }
      assertThat(before.answer()).as("on the old connection").startsWith("HTTP/1.1 200");
    }
  }

  @Test
  @Tag("full")
  void keepsTheOldCertificateWhileTheNewOneIsIncompleteAndLogsItOnce() throws Exception {
    Issued first = write(authority.issueFor("localhost"));
    open();
    Issued second = authority.issueFor("localhost");

    replace(files.certificate(), second.certificate());
    Awaitility.await().until(() -> warnings().size() == 1);
    assertThat(warnings().get(0)).contains("do not belong together");
    Awaitility.await()
        .during(Duration.ofSeconds(5))
        .until(() -> warnings().size() == 1 && served().equals(parsed(first)));

    replace(files.key(), second.key().substring(0, 60));
    Awaitility.await().until(() -> warnings().size() == 2);
    Files.delete(files.key());
    Awaitility.await().until(() -> warnings().size() == 3);
    assertThat(served()).isEqualTo(parsed(first));

    replace(files.key(), second.key());
    Awaitility.await().until(() -> served().equals(parsed(second)));
    assertThat(warnings()).hasSize(3);
    assertThat(told.list.toString()).doesNotContain(second.key().lines().toList().get(1));
  }

  @Test
  void doesNotStartWithAnUnusableCertificate() {
    Issued one = write(authority.issueFor("localhost"));
    replace(files.key(), authority.issueFor("localhost").key());

    assertThatThrownBy(this::open)
        .hasMessageContaining(files.certificate().toString())
        .hasMessageContaining("do not belong together")
        .hasMessageNotContaining(one.key());
  }

  private void open() throws TimeoutException {
    listener =
        await(
            Listener.open(
                vertx,
                new ListenerSettings("127.0.0.1", 0, files),
                EVENT_LOOPS,
                new ListenerLimits(Duration.ofSeconds(1), Duration.ZERO, Duration.ZERO),
                new RequestLog(false),
                new Routes().get("/", exchange -> exchange.response().end("here"))));
  }

  private Issued write(Issued issued) {
    replace(files.certificate(), issued.certificate());
    replace(files.key(), issued.key());
    return issued;
  }

  private static void replace(Path file, String text) {
    try {
      Path whole = Files.writeString(file.resolveSibling("next.pem"), text);
      Files.move(whole, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private List<String> warnings() {
    return told.list.stream()
        .filter(event -> event.getLevel().toString().equals("WARN"))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  private X509Certificate served() throws Exception {
    try (Client client = new Client()) {
      return client.certificate();
    }
  }

  private static X509Certificate parsed(Issued issued) throws Exception {
    return parsed(issued.certificate());
  }

  private static X509Certificate parsed(String pem) throws Exception {
    return (X509Certificate)
        CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
  }

  private static <T> T await(Future<T> future) throws TimeoutException {
    return future.await(30, TimeUnit.SECONDS);
  }

  /** One connection, which is verified as any client would. */
  private final class Client implements AutoCloseable {
    private final SSLSocket socket;
    private final BufferedReader answers;

    private Client() throws Exception {
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      trusted.setCertificateEntry("authority", parsed(authority.pem()));
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, factory.getTrustManagers(), null);
      int port = requireNonNull(listener).port();
      socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port);
      socket.setSoTimeout((int) PATIENCE.toMillis());
      socket.startHandshake();
      answers =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    }

    X509Certificate certificate() throws IOException {
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }

    /** The status line. */
    String answer() throws IOException {
      socket
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      String status = answers.readLine();
      String line = answers.readLine();
      while (line != null && !line.isEmpty()) {
        line = answers.readLine();
      }
      char[] body = new char["here".length()];
      assertThat(answers.read(body)).isEqualTo(body.length);
      return String.valueOf(status);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
