package io.egress.platform.database;

import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/**
 * Finds out how far a server that does not answer can be reached. Takes up to two times {@link
 * #STEP_MAX}; not for an event loop.
 */
public final class ServerReach {
  private static final Duration STEP_MAX = Duration.ofSeconds(1);

  /** Every server answers it with one byte, before anybody logs in. */
  private static final int SSL_REQUEST_LENGTH = 8;

  private static final int SSL_REQUEST = 80_877_103;

  private ServerReach() {}

  /** In a sentence for people who run the server. */
  public static String of(DatabaseUrl.Host host) {
    int millis = (int) STEP_MAX.toMillis();
    try (Socket socket = new Socket()) {
      try {
        socket.connect(new InetSocketAddress(host.name(), host.port()), millis);
      } catch (SocketTimeoutException late) {
        return host + " accepts no connection within 1 s: its machine or the network to it is away";
      } catch (IOException refused) {
        return host
            + " cannot be connected to ("
            + refused.getMessage()
            + "): no server runs there";
      }
      return host + answer(socket, millis);
    } catch (IOException closing) {
      return host + " cannot be connected to: " + closing.getMessage();
    }
  }

  private static String answer(Socket socket, int millis) throws IOException {
    socket.setSoTimeout(millis);
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    out.writeInt(SSL_REQUEST_LENGTH);
    out.writeInt(SSL_REQUEST);
    out.flush();
    try {
      return socket.getInputStream().read() < 0
          ? " accepts connections and closes them: the server starts, stops or has no more room"
          : " accepts connections and answers them, but not a query: its sessions wait, for example"
              + " for its disk";
    } catch (SocketTimeoutException silent) {
      return " accepts connections and answers nothing within 1 s: the server process is frozen, or"
          + " gets no processor time";
    }
  }
}
