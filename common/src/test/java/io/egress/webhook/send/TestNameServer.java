package io.egress.webhook.send;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;

/** A name server for A records with a TTL of zero. */
final class TestNameServer implements AutoCloseable {
  private static final int HEADER_BYTES = 12;
  private static final short TYPE_A = 1;
  private static final short CLASS_IN = 1;
  private static final short RESPONSE = (short) 0x8180;
  private static final short NO_SUCH_NAME = 3;
  private static final short POINTER_TO_QUESTION = (short) 0xc00c;

  private final DatagramSocket socket;
  private final Function<String, List<InetAddress>> zone;
  private final Thread thread = new Thread(this::serve, "test-name-server");

  /** A name for which {@code zone} gives an empty list does not exist. */
  TestNameServer(Function<String, List<InetAddress>> zone) {
    this.zone = zone;
    try {
      socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    } catch (SocketException fault) {
      throw new UncheckedIOException(fault);
    }
    thread.setDaemon(true);
    thread.start();
  }

  String address() {
    return "127.0.0.1:" + socket.getLocalPort();
  }

  @Override
  public void close() {
    socket.close();
  }

  private void serve() {
    DatagramPacket packet = new DatagramPacket(new byte[512], 512);
    while (!socket.isClosed()) {
      try {
        socket.receive(packet);
        byte[] answer = answer(ByteBuffer.wrap(packet.getData(), 0, packet.getLength()));
        socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private byte[] answer(ByteBuffer query) {
    short id = query.getShort();
    query.position(HEADER_BYTES);
    String name = name(query);
    short type = query.getShort();
    query.getShort();
    byte[] question = new byte[query.position() - HEADER_BYTES];
    query.get(HEADER_BYTES, question);
    List<InetAddress> addresses = zone.apply(name);
    List<InetAddress> records = type == TYPE_A ? addresses : List.of();
    ByteBuffer answer =
        ByteBuffer.allocate(512)
            .putShort(id)
            .putShort(addresses.isEmpty() ? (short) (RESPONSE | NO_SUCH_NAME) : RESPONSE)
            .putShort((short) 1)
            .putShort((short) records.size())
            .putInt(0)
            .put(question);
    for (InetAddress address : records) {
      answer.putShort(POINTER_TO_QUESTION).putShort(TYPE_A).putShort(CLASS_IN).putInt(0);
      answer.putShort((short) 4).put(address.getAddress());
    }
    byte[] bytes = new byte[answer.position()];
    answer.flip().get(bytes);
    return bytes;
  }

  private static String name(ByteBuffer query) {
    StringBuilder name = new StringBuilder();
    for (int length = query.get(); length > 0; length = query.get()) {
      byte[] label = new byte[length];
      query.get(label);
      name.append(name.isEmpty() ? "" : ".").append(new String(label, US_ASCII));
    }
    return name.toString();
  }
}
