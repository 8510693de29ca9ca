package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.testing.ClosedPort;
import io.egress.testing.SharedBackends;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What a process says that cannot start, or is stopped while it waits for a backend. */
@Execution(ExecutionMode.CONCURRENT)
class StartFaultsTest {
  private static final String TOKEN = "test-token-of-the-internal-api";

  @Test
  void waitsForAnUnreachableDatabaseAndStopsWhenAsked() throws Exception {
    try (ClosedPort port = ClosedPort.open();
        CommandLine api =
            CommandLine.start(
                changed(
                    "EGRESS_DATABASE_URL", "postgresql://u:p@127.0.0.1:" + port.number() + "/d"),
                "api")) {
      api.awaitOutput(
          "WARN  Database PostgreSQL does not answer; waiting for it: 127.0.0.1:" + port.number());
      api.terminate();

      assertThat(api.awaitExit()).isZero();
      assertThat(api.output().lines())
          .noneMatch(line -> Stream.of("Exception", "flyway", "\\n").anyMatch(line::contains));
    }
  }

  @Test
  void endsAtOnceAfterAWrongPassword() throws Exception {
    String url = SharedBackends.get().freshDatabase();
    String wrong = url.replaceFirst(":[^:@/]+@", ":wrong@");
    try (CommandLine dispatcher =
        CommandLine.start(changed("EGRESS_DATABASE_URL", wrong), "dispatcher")) {
      assertThat(dispatcher.awaitExit()).isEqualTo(2);
      assertThat(dispatcher.output().lines())
          .anyMatch(line ->
              line.matches("EGRESS_DATABASE_URL: .*password authentication failed for user.*"))
          .noneMatch(line -> line.contains("Flyway") || line.contains("wrong"));
    }
  }

  @Test
  void namesTheSettingOfAPortThatIsTaken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        CommandLine api =
            CommandLine.start(
                changed("EGRESS_PUBLIC_PORT", Integer.toString(taken.getLocalPort())), "api")) {
      assertThat(api.awaitExit()).isEqualTo(2);
      assertThat(api.output())
          .contains(
              "EGRESS_PUBLIC_PORT: cannot listen on 127.0.0.1:%d: Address already in use"
                  .formatted(taken.getLocalPort()));
    }
  }

  private static Map<String, String> changed(String name, String value) {
    Map<String, String> environment = TestEnvironment.fresh(TOKEN);
    environment.put(name, value);
    return environment;
  }
}
