package io.egress.dispatcher;

import io.egress.testing.CertificateAuthority;
import io.egress.webhook.endpoint.ClientCertificate;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.OpenSSLEngineOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.SSLEngineOptions;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * Any number of receivers behind one HTTPS server, each at its own path, with programmed answers
 * and a record of what arrived.
 */
public final class Receivers implements AutoCloseable {
  /** Answers the nth request, counted from 1, of a receiver. */
  public interface Behaviour {
    void answer(HttpServerRequest request, int nth);

    default void answer(HttpServerRequest request, int nth, Buffer body) {
      answer(request, nth);
    }
  }

  public static final Behaviour FINE = (request, _) -> request.response().setStatusCode(204).end();

  /** Reads the body and never answers. */
  public static final Behaviour HANGING = (_, _) -> {};

  private final Vertx vertx = Vertx.vertx();

  /** Also for a dispatcher whose clock is months ahead. */
  private static final Duration VALID_FOR = Duration.ofDays(100);

  private final CertificateAuthority authority = new CertificateAuthority(VALID_FOR);
  private final HttpServer server;
  private final Map<String, Behaviour> behaviours = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> requests = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Arrival> arrivals = new ConcurrentLinkedQueue<>();

  public Receivers() {
    server =
        Fleet.await(
            vertx
                .createHttpServer(
                    new HttpServerOptions()
                        .setSsl(true)
                        .setSslEngineOptions(engine())
                        .setUseAlpn(false)
                        .setKeyCertOptions(options(authority.issueFor("127.0.0.1", "localhost")))
                        .setHost("127.0.0.1")
                        .setPort(0))
                .exceptionHandler(_ -> {})
                .requestHandler(this::take)
                .listen());
  }

  /** The JDK's handshakes cost a young JVM more than the rest of a delivery. */
  private static SSLEngineOptions engine() {
    return OpenSSLEngineOptions.isAvailable()
        ? new OpenSSLEngineOptions()
        : new JdkSSLEngineOptions();
  }

  public String url(String receiver) {
    return "https://127.0.0.1:" + server.actualPort() + "/" + receiver;
  }

  /** The default is {@link #FINE}. */
  public void behave(String receiver, Behaviour behaviour) {
    behaviours.put(receiver, behaviour);
  }

  /** A receiver that controls its connection, with a trusted certificate. */
  public String rawUrl(Handler<NetSocket> behaviour) {
    return rawUrl(authority, behaviour);
  }

  /** The same, with an untrusted certificate. */
  public String untrustedUrl() {
    return rawUrl(new CertificateAuthority(), _ -> {});
  }

  /**
   * A receiver that requests a certificate of its clients and accepts them all. {@code subjects}
   * gets the subject of each request's certificate, or {@code none}.
   */
  public String urlRequestingCertificates(Consumer<String> subjects) {
    HttpServer requesting =
        Fleet.await(
            vertx
                .createHttpServer(
                    new HttpServerOptions()
                        .setSsl(true)
                        .setUseAlpn(true)
                        .setKeyCertOptions(options(authority.issueFor("127.0.0.1")))
                        .setClientAuth(ClientAuth.REQUEST)
                        .setTrustOptions(
                            new PemTrustOptions().addCertValue(Buffer.buffer(authority.pem())))
                        .setHost("127.0.0.1")
                        .setPort(0))
                .exceptionHandler(_ -> {})
                .requestHandler(request -> {
                  subjects.accept(subject(request));
                  request.response().end();
                })
                .listen());
    return "https://127.0.0.1:" + requesting.actualPort() + "/";
  }

  private static String subject(HttpServerRequest request) {
    try {
      X509Certificate shown = (X509Certificate) request.connection().peerCertificates().get(0);
      return shown.getSubjectX500Principal().getName();
    } catch (SSLPeerUnverifiedException none) {
      return "none";
    }
  }

  /** One that {@link #urlRequestingCertificates} trusts. */
  public ClientCertificate clientCertificate() {
    CertificateAuthority.Issued issued = authority.issueFor();
    return ClientCertificate.of(issued.certificate(), issued.key(), Instant.now());
  }

  private String rawUrl(CertificateAuthority issuer, Handler<NetSocket> behaviour) {
    NetServer raw =
        Fleet.await(
            vertx
                .createNetServer(
                    new NetServerOptions()
                        .setSsl(true)
                        .setKeyCertOptions(options(issuer.issueFor("127.0.0.1")))
                        .setHost("127.0.0.1"))
                .exceptionHandler(_ -> {})
                .connectHandler(socket -> {
                  socket.exceptionHandler(_ -> {});
                  behaviour.handle(socket);
                })
                .listen());
    return "https://127.0.0.1:" + raw.actualPort() + "/";
  }

  private static PemKeyCertOptions options(CertificateAuthority.Issued issued) {
    return new PemKeyCertOptions()
        .addCertValue(Buffer.buffer(issued.certificate()))
        .addKeyValue(Buffer.buffer(issued.key()));
  }

  public Vertx vertx() {
    return vertx;
  }

  /** Only those that were read whole, in the order of their coming. */
  public List<Arrival> arrivals() {
    return List.copyOf(arrivals);
  }

  public List<Arrival> arrivals(String receiver) {
    return arrivals.stream().filter(arrival -> arrival.receiver().equals(receiver)).toList();
  }

  public int count() {
    return requests.values().stream().mapToInt(AtomicInteger::get).sum();
  }

  public Path writeAuthority(Path folder) {
    return authority.writePem(folder);
  }

  private void take(HttpServerRequest request) {
    String receiver = request.path().substring(1);
    request.exceptionHandler(_ -> {});
    request.response().exceptionHandler(_ -> {});
    request
        .body()
        .onSuccess(body -> {
          String delivery = request.getHeader("x-service-delivery");
          if (delivery != null) {
            arrivals.add(
                new Arrival(
                    receiver,
                    Instant.now(),
                    UUID.fromString(delivery),
                    request.getHeader("x-service-event"),
                    MultiMap.caseInsensitiveMultiMap().addAll(request.headers()),
                    body));
          }
          int nth = requests.computeIfAbsent(receiver, _ -> new AtomicInteger()).incrementAndGet();
          behaviours.getOrDefault(receiver, FINE).answer(request, nth, body);
        });
  }

  @Override
  public void close() {
    Fleet.await(vertx.close());
  }
}
