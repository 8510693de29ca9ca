package io.egress.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Future;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ShutdownTest {
  @Test
  void finishesRequestsInFlightAndAcceptsNoNewOnes() throws IOException {
    Service service = Service.start();
    String body = Service.capture(UUID.randomUUID()).encode();
    String half = body.substring(0, body.length() / 2);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.app.internalPort())) {
      String head =
          "PUT /internal/v1/captures/"
              + UUID.randomUUID()
              + " HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer "
              + Service.TOKEN
              + "\r\ncontent-length: "
              + body.length()
              + "\r\n\r\n";
      write(socket, head + half);
      int port = service.app.internalPort();
      assertThat(service.internal("GET", "/health/live", "").statusCode()).isEqualTo(200);

      Future<Void> closing = service.app.close();
      await()
          .untilAsserted(
              () -> assertThatThrownBy(() -> connect(port)).isInstanceOf(IOException.class));
      write(socket, body.substring(half.length()));

      String answer = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
      assertThat(answer).isEqualTo("HTTP/1.1 201");
      Service.await(closing);
    } catch (UncheckedIOException failure) {
      throw failure.getCause();
    } finally {
      service.close();
    }
  }

  private static void connect(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      write(socket, "GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n");
      if (socket.getInputStream().read() < 0) {
        throw new IOException("closed");
      }
    }
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
  }
}
