package io.egress.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An HTTP proxy on 127.0.0.1 that tunnels, and can be told to misbehave. */
public final class ConnectProxy implements AutoCloseable {
  private static final int HEAD_BYTES_MAX = 16 << 10;
  private static final String END_OF_HEAD = "\r\n\r\n";

  private final Listener listener = Listener.open();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private volatile String refusal = "";
  private volatile boolean hanging;

  private ConnectProxy() {}

  public static ConnectProxy open() {
    ConnectProxy proxy = new ConnectProxy();
    proxy.listener.serve(proxy::serve);
    return proxy;
  }

  public int port() {
    return listener.port();
  }

  public String url() {
    return "http://127.0.0.1:" + port();
  }

  /** The heads of requests, in the order of their arrival. */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  /** Answers requests with this instead of a tunnel; empty to tunnel again. */
  public void refuseWith(String answer) {
    refusal = answer;
  }

  /** Reads requests and never answers. */
  public void hang(boolean hang) {
    hanging = hang;
  }

  /** Closes the tunnels that are open. */
  public void closeTunnels() {
    listener.endAll();
  }

  @Override
  public void close() {
    listener.close();
    closeTunnels();
  }

  private void serve(Socket client) throws IOException {
    String head = head(client.getInputStream());
    requests.add(head);
    if (hanging) {
      return;
    }
    if (!refusal.isEmpty()) {
      client.getOutputStream().write(refusal.getBytes(ISO_8859_1));
      listener.end(client);
      return;
    }
    String target = head.split(" ", 3)[1];
    int colon = target.lastIndexOf(':');
    String host = target.substring(0, colon).replaceAll("[\\[\\]]", "");
    Socket server;
    try {
      server = listener.connect(host, Integer.parseInt(target.substring(colon + 1)));
    } catch (IOException unreachable) {
      String answer = "HTTP/1.1 502 Bad Gateway" + END_OF_HEAD;
      client.getOutputStream().write(answer.getBytes(ISO_8859_1));
      listener.end(client);
      return;
    }
    String established = "HTTP/1.1 200 Connection established" + END_OF_HEAD;
    client.getOutputStream().write(established.getBytes(ISO_8859_1));
    listener.start(() -> pass(server, client));
    pass(client, server);
  }

  private static String head(InputStream input) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(ISO_8859_1).endsWith(END_OF_HEAD) && head.size() < HEAD_BYTES_MAX) {
      int next = input.read();
      if (next < 0) {
        throw new IOException("closed before a request");
      }
      head.write(next);
    }
    return head.toString(ISO_8859_1);
  }

  private void pass(Socket from, Socket to) {
    try {
      OutputStream output = to.getOutputStream();
      from.getInputStream().transferTo(output);
    } catch (IOException ended) {
      // The other direction ends, too.
    } finally {
      List.of(from, to).forEach(listener::end);
    }
  }
}
