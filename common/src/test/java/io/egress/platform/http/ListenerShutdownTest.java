package io.egress.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.platform.environment.TlsFiles;
import io.egress.testing.CertificateAuthority;
import io.egress.testing.CertificateAuthority.Issued;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections that a stopping listener has nothing to wait for on. */
class ListenerShutdownTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** A listener that waited for its limit would outlast the test. */
  private static final ListenerLimits LIMITS =
      new ListenerLimits(Duration.ofHours(1), Duration.ofHours(1), Duration.ofHours(1));

  /** More than the buffers of both ends. */
  private static final Buffer LARGE = Buffer.buffer(new byte[32 << 20]);

  private static final Duration STOP_MAX = Duration.ofSeconds(30);

  private final AtomicInteger received = new AtomicInteger();
  private final Vertx vertx = Vertx.vertx();
  private final List<Socket> sockets = new ArrayList<>();
  private final Path folder;

  ListenerShutdownTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @AfterEach
  void close() throws Exception {
    for (Socket each : sockets) {
      each.close();
    }
    vertx.close().await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void doesNotWaitForAConnectionWithoutARequest() throws Exception {
    Listener listener = open(null);
    connect(listener);
    answered(listener);

    closes(listener);
  }

  @Test
  void doesNotWaitForAConnectionThatHasNotSentARequestsWholeHead() throws Exception {
    Listener listener = open(null);
    send(connect(listener), "GET / HTTP/1.1\r\nhost: ");
    answered(listener);

    closes(listener);
  }

  @Test
  void doesNotWaitForAConnectionWhoseRequestIsAnswered() throws Exception {
    Listener listener = open(null);
    answered(listener);

    closes(listener);
  }

  @Test
  @Tag("full")
  void doesNotWaitForAConnectionBeforeItsHandshake() throws Exception {
    Listener listener = open(tls());
    connect(listener);

    closes(listener);
  }

  @Test
  @Tag("full")
  void doesNotWaitForAClientThatReadsNothing() throws Exception {
    Listener listener = open(null);
    Socket client = connect(listener);
    send(client, "GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assertThat(client.getInputStream().readNBytes(12)).isNotEmpty();

    Future<Void> closed = listener.close(STOP_MAX);
    closed.await(STOP_MAX.toSeconds() * 2 / 3, TimeUnit.SECONDS);
  }

  @Test
  @Tag("full")
  void doesNotWaitForAClientThatDoesNotSendTheRestOfItsRequest() throws Exception {
    Listener listener = open(null);
    send(
        connect(listener),
        "POST /body HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\nsome");
    await().until(() -> received.get() > 0);

    closes(listener);
  }

  /** Some 20 KiB per second at first. */
  @Test
  @Tag("full")
  void waitsForAClientThatReadsSlowly() throws Exception {
    Listener listener = open(null);
    Socket client = connect(listener);
    send(client, "GET /large HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    InputStream answer = client.getInputStream();
    assertThat(answer.readNBytes(12)).isNotEmpty();

    Future<Void> closed = listener.close(STOP_MAX);
    long slowUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
    long read = 12;
    while (System.nanoTime() < slowUntil) {
      read += answer.readNBytes(1_024).length;
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
    read += answer.readAllBytes().length;

    assertThat(read).isGreaterThan(LARGE.length());
    closed.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private TlsFiles tls() throws IOException {
    Issued issued = new CertificateAuthority().issueFor("localhost");
    return new TlsFiles(
        Files.writeString(folder.resolve("certificate.pem"), issued.certificate()),
        Files.writeString(folder.resolve("key.pem"), issued.key()));
  }

  /** One event loop, so that a later connection's answer shows that the earlier is accepted. */
  private Listener open(@Nullable TlsFiles tls) throws Exception {
    return Listener.open(
            vertx,
            new ListenerSettings("127.0.0.1", 0, tls),
            1,
            LIMITS,
            new RequestLog(false),
            new Routes()
                .get("/", exchange -> exchange.response().end("here"))
                .get("/large", exchange -> exchange.response().end(LARGE))
                .post(
                    "/body",
                    exchange ->
                        exchange.request().handler(part -> received.addAndGet(part.length()))))
        .await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private Socket connect(Listener listener) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), listener.port());
    sockets.add(socket);
    socket.setSoTimeout((int) PATIENCE.toMillis());
    return socket;
  }

  private void answered(Listener listener) throws IOException {
    Socket socket = connect(listener);
    send(socket, "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    byte[] answer = socket.getInputStream().readNBytes(12);
    assertThat(new String(answer, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 200");
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static void closes(Listener listener) throws Exception {
    listener.close().await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }
}
