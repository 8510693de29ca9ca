package io.egress.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class FreePortTest {
  private static final int CONNECTIONS = 2_000;

  @Test
  void noOtherProcessChoosesIt() throws Exception {
    Set<Integer> here = new HashSet<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      here.add(FreePort.choose());
    }
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Chooser.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();

    Set<Integer> there;
    try (BufferedReader output = other.inputReader()) {
      there = output.lines().map(Integer::valueOf).collect(Collectors.toSet());
    }

    assertThat(other.waitFor()).isZero();
    assertThat(there).hasSize(CONNECTIONS).doesNotContainAnyElementsOf(here);
  }

  @Test
  void noOutgoingConnectionTakesAChosenPort() throws Exception {
    Set<Integer> chosen = new HashSet<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      chosen.add(FreePort.choose());
    }
    Set<Integer> local = new HashSet<>();
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket server = new ServerSocket(0, 1, loopback)) {
      for (int i = 0; i < CONNECTIONS; i++) {
        try (Socket client = new Socket(loopback, server.getLocalPort());
            Socket accepted = server.accept()) {
          local.add(accepted.getPort());
          assertThat(client.isConnected()).isTrue();
        }
      }
    }

    assertThat(chosen).hasSize(CONNECTIONS).doesNotContainAnyElementsOf(local);
  }

  /** Another process. */
  static final class Chooser {
    public static void main(String[] none) {
      for (int i = 0; i < CONNECTIONS; i++) {
        System.out.println(FreePort.choose());
      }
    }
  }
}
