package io.egress.bench.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.util.UUID;

/**
 * A minimal HTTP/1.1 server for the dispatcher's requests, which have a content length and are not
 * pipelined. Bodies are counted and not copied.
 */
final class BareConnection extends ChannelInboundHandlerAdapter {
  /** Handles a request on the connection's event loop. */
  interface Requests {
    /** {@code answer} sends 204, immediately or later. */
    void take(String path, UUID deliveryId, long bodyBytes, Runnable answer);
  }

  private static final int HEAD_MAX = 8_192;
  private static final int END_OF_HEAD = ('\r' << 24) | ('\n' << 16) | ('\r' << 8) | '\n';
  private static final String DELIVERY = "\r\nx-service-delivery: ";
  private static final String LENGTH = "\r\ncontent-length: ";
  private static final byte[] NO_CONTENT = "HTTP/1.1 204 No Content\r\n\r\n".getBytes(US_ASCII);

  private final Requests requests;
  private final byte[] head = new byte[HEAD_MAX];
  private int headLength;
  private int lastFour;
  private String text = "";
  private long bodyLeft;

  BareConnection(Requests requests) {
    this.requests = requests;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      while (bytes.isReadable()) {
        if (text.isEmpty()) {
          readHead(bytes);
        } else {
          int part = (int) Math.min(bodyLeft, bytes.readableBytes());
          bytes.skipBytes(part);
          bodyLeft -= part;
        }
        if (!text.isEmpty() && bodyLeft == 0) {
          end(context);
        }
      }
    } finally {
      bytes.release();
    }
  }

  /** Broken connections are expected; an unreadable request is reported. */
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
    if (!(failure instanceof IOException)) {
      System.err.println("  the receiver gives up a connection: " + failure);
    }
    context.fireExceptionCaught(failure);
  }

  private void readHead(ByteBuf bytes) {
    while (bytes.isReadable()) {
      byte next = bytes.readByte();
      head[headLength++] = next;
      lastFour = (lastFour << 8) | (next & 0xff);
      if (lastFour == END_OF_HEAD) {
        text = new String(head, 0, headLength, US_ASCII);
        bodyLeft = Long.parseLong(header(LENGTH));
        return;
      }
    }
  }

  private void end(ChannelHandlerContext context) {
    int path = text.indexOf(' ') + 1;
    requests.take(
        text.substring(path, text.indexOf(' ', path)),
        UUID.fromString(header(DELIVERY)),
        Long.parseLong(header(LENGTH)),
        () -> answer(context));
    headLength = 0;
    lastFour = 0;
    text = "";
  }

  private static void answer(ChannelHandlerContext context) {
    var _ = context.writeAndFlush(Unpooled.wrappedBuffer(NO_CONTENT), context.voidPromise());
  }

  private String header(String name) {
    int start = text.indexOf(name);
    if (start < 0) {
      throw new IllegalStateException("no header " + name.strip() + " in\n" + text);
    }
    int value = start + name.length();
    return text.substring(value, text.indexOf('\r', value));
  }
}
