package io.egress.platform.http;

import io.egress.platform.vertx.Channels;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;

/**
 * Turns requests with versions other than HTTP/1.0 and HTTP/1.1 into unreadable ones. Vert.x would
 * answer them with 501, without a body, and echo the client's version. Nothing after an unreadable
 * request is read.
 */
final class UnknownVersion extends ChannelInboundHandlerAdapter {
  private static final String BEFORE = "handler";

  private boolean refused;

  private UnknownVersion() {}

  /** Call when a connection is opened, before its first request is handled. */
  static void refuse(HttpConnection connection) {
    Channels.of(connection)
        .pipeline()
        .addBefore(BEFORE, "egress-unknown-version", new UnknownVersion());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (refused) {
      ReferenceCountUtil.release(message);
      return;
    }
    if (message instanceof HttpRequest request && !isKnown(request.protocolVersion())) {
      if (request.decoderResult().isSuccess()) {
        request.setDecoderResult(
            DecoderResult.failure(new IllegalArgumentException("unknown version")));
      }
      request.setProtocolVersion(HttpVersion.HTTP_1_1);
      refused = true;
    }
    context.fireChannelRead(message);
  }

  /** Compares like Vert.x: {@code HtTP/1.1} is equal to HTTP/1.1, but not the same object. */
  @SuppressWarnings("ReferenceEquality")
  private static boolean isKnown(HttpVersion version) {
    return version == HttpVersion.HTTP_1_1 || version == HttpVersion.HTTP_1_0;
  }
}
