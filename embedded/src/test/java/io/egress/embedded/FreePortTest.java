package io.egress.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FreePortTest {
  private static final int CONNECTIONS = 2_000;

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
}
