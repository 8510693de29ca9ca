package io.egress.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;

/** A client that can send malformed requests and disconnect at any moment. */
public final class RawClient implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;

  private RawClient(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
  }

  public static RawClient to(int port) {
    try {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setSoTimeout(60_000);
      return new RawClient(socket);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** The head of a request to the internal API. */
  public static String internal(String line, String... headers) {
    StringBuilder head = new StringBuilder(line + " HTTP/1.1\r\nhost: a\r\n");
    head.append("authorization: Bearer ").append(Service.TOKEN).append("\r\n");
    for (String header : headers) {
      head.append(header).append("\r\n");
    }
    return head.append("\r\n").toString();
  }

  public RawClient send(String text) {
    try {
      socket.getOutputStream().write(text.getBytes(ISO_8859_1));
      return this;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Reads until {@code expected} has come; fails at the end of the connection. */
  public RawClient await(String expected) {
    StringBuilder read = new StringBuilder();
    try {
      while (read.indexOf(expected, read.length() - expected.length()) < 0) {
        int next = in.read();
        if (next < 0) {
          throw new AssertionError("the connection ended after: " + read);
        }
        read.append((char) next);
      }
      return this;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Everything until the server closes the connection. */
  public String rest() {
    try {
      return new String(in.readAllBytes(), ISO_8859_1);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Closes the sending direction. */
  public RawClient sentAll() {
    try {
      socket.shutdownOutput();
      return this;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** As a host that vanishes would: with RST instead of FIN. */
  public void reset() {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
