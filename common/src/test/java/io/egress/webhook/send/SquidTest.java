package io.egress.webhook.send;

import static io.egress.webhook.send.SenderHarness.await;
import static io.egress.webhook.send.SenderHarness.envelope;
import static io.egress.webhook.send.SenderHarness.url;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.embedded.FreePort;
import io.egress.testing.ClosedPort;
import io.egress.webhook.endpoint.AddressPolicy;
import io.egress.webhook.endpoint.CidrBlock;
import io.egress.webhook.send.Outcome.Delivered;
import io.egress.webhook.send.Outcome.Failed;
import io.egress.webhook.send.SenderSettings.PoolLimits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A sender behind Squid, which admits a user with a password to ports of receivers only. */
class SquidTest {
  private static final Duration UP_MAX = Duration.ofSeconds(60);
  private static final AddressPolicy LOOPBACK =
      new AddressPolicy(CidrBlock.parseList("127.0.0.0/8,::1"));

  private final SenderHarness harness = new SenderHarness();
  private final int port = FreePort.choose();
  private Path folder;
  private Process squid;

  @BeforeEach
  void start() throws IOException {
    Optional<String> program = program();
    assumeTrue(program.isPresent(), "squid is not here");
    // Squid gives up root's rights before it opens its files.
    folder =
        Files.createTempDirectory(
            "squid",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxrwxrwx")));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path login = folder.resolve("login");
    Files.writeString(
        login,
        """
        #!/bin/sh
        while read -r user password; do
          if [ "$user $password" = 'egress hidden' ]; then echo OK; else echo ERR; fi
        done
        """);
    Files.setPosixFilePermissions(login, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path config =
        Files.writeString(
            folder.resolve("squid.conf"),
            """
            http_port 127.0.0.1:%1$d
            pid_filename none
            cache deny all
            cache_mem 8 MB
            cache_log /dev/null
            access_log none
            pinger_enable off
            shutdown_lifetime 0 seconds
            max_filedescriptors 1024
            coredump_dir %2$s
            auth_param basic program %3$s
            auth_param basic children 1 startup=1
            acl known proxy_auth REQUIRED
            acl forbidden port 9
            acl CONNECT method CONNECT
            http_access deny forbidden
            http_access allow CONNECT known
            http_access deny all
            """
                .formatted(port, folder, login));
    squid =
        new ProcessBuilder(program.orElseThrow(), "-N", "-f", config.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output").toFile())
            .start();
    await().atMost(UP_MAX).until(this::accepts);
  }

  @AfterEach
  void stop() throws InterruptedException {
    harness.close();
    if (squid != null) {
      squid.destroy();
      if (!squid.waitFor(10, TimeUnit.SECONDS)) {
        squid.destroyForcibly().waitFor();
      }
    }
  }

  @Test
  void deliversThroughIt() {
    int receiver = harness.httpsReceiver(true, request -> request.response().end());

    assertThat(send("egress:hidden", receiver)).isInstanceOf(Delivered.class);
  }

  @Test
  void reportsItsRefusals() {
    int receiver = harness.httpsReceiver(true, request -> request.response().end());

    assertThat(refused("", receiver)).contains("the proxy answered 407");
    assertThat(refused("egress:wrong", receiver)).contains("the proxy answered 407");
    assertThat(refused("egress:hidden", 9)).contains("the proxy answered 403");
    try (ClosedPort closed = ClosedPort.open()) {
      assertThat(refused("egress:hidden", closed.number())).contains("the proxy answered 503");
    }
  }

  private String refused(String login, int receiver) {
    Outcome outcome = send(login, receiver);
    assertThat(outcome).isInstanceOf(Failed.class);
    assertThat(((Failed) outcome).kind()).isEqualTo(FailureKind.PROXY);
    return ((Failed) outcome).detail();
  }

  private Outcome send(String login, int receiver) {
    String account = login.isEmpty() ? "" : login + "@";
    ForwardProxy proxy = ForwardProxy.parse("http://" + account + "127.0.0.1:" + port);
    WebhookSender sender =
        harness.newSender(
            new SenderSettings(
                SenderHarness.AMPLE_TIMEOUT, Duration.ZERO, PoolLimits.DEFAULTS, proxy, null),
            LOOPBACK,
            harness::lookUp);
    try {
      return await(
          harness.start(sender, harness.endpointId, url(receiver), envelope("x")).outcome());
    } finally {
      await(sender.close());
    }
  }

  private static Optional<String> program() {
    return Stream.of("/usr/sbin/squid", "/usr/local/sbin/squid", "/usr/local/squid/sbin/squid")
        .filter(program -> Files.isExecutable(Path.of(program)))
        .findFirst();
  }

  private boolean accepts() {
    try (Socket connected = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return connected.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }
}
