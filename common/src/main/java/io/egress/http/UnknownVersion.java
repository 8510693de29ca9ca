package io.egress.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;

/**
 * Makes requests of other versions than HTTP/1.0 and HTTP/1.1 unreadable ones. Vert.x would answer
 * them 501 without a body, and repeat the version that the client made up.
 */
final class UnknownVersion extends ChannelInboundHandlerAdapter {
  private static final String BEFORE = "handler";

  private UnknownVersion() {}

  /** To be called when a connection is opened, before its first request is handled. */
  static void refuse(HttpConnection connection) {
    ChannelPipeline pipeline =
        ((HttpServerConnection) connection).channelHandlerContext().pipeline();
    pipeline.addBefore(BEFORE, "egress-unknown-version", new UnknownVersion());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpRequest request && !isKnown(request.protocolVersion())) {
      if (request.decoderResult().isSuccess()) {
        request.setDecoderResult(
            DecoderResult.failure(new IllegalArgumentException("unknown version")));
      }
      request.setProtocolVersion(HttpVersion.HTTP_1_1);
    }
    context.fireChannelRead(message);
  }

  private static boolean isKnown(HttpVersion version) {
    return version.equals(HttpVersion.HTTP_1_1) || version.equals(HttpVersion.HTTP_1_0);
  }
}
