package io.egress.webhook.send;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * Turns every informational response into one that Vert.x knows. Vert.x skips 100 and 103 and
 * reports them, but takes any other 1xx for the final response. A 101 is left alone: nobody asked
 * to switch protocols.
 */
final class InterimAnswers {
  private static final String HANDLER = "egress-interim-answers";

  private InterimAnswers() {}

  /** Call once per connection, on its event loop. */
  static void unify(ChannelPipeline pipeline) {
    ChannelHandlerContext codec = pipeline.context(HttpClientCodec.class);
    if (codec != null) {
      pipeline.addAfter(codec.name(), HANDLER, new Http1());
      return;
    }
    Http2ConnectionHandler http2 = pipeline.get(Http2ConnectionHandler.class);
    if (http2 != null) {
      Http2ConnectionDecoder decoder = http2.decoder();
      decoder.frameListener(new Http2(decoder.frameListener()));
    }
  }

  private static boolean isUnknown(int status) {
    return status >= 102 && status <= 199 && status != HttpResponseStatus.EARLY_HINTS.code();
  }

  private static final class Http1 extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof HttpResponse response && isUnknown(response.status().code())) {
        response.setStatus(HttpResponseStatus.EARLY_HINTS);
      }
      context.fireChannelRead(message);
    }
  }

  private static final class Http2 extends Http2FrameListenerDecorator {
    private Http2(Http2FrameListener listener) {
      super(listener);
    }

    @Override
    public void onHeadersRead(
        ChannelHandlerContext context,
        int streamId,
        Http2Headers headers,
        int padding,
        boolean endOfStream)
        throws Http2Exception {
      super.onHeadersRead(context, streamId, unified(headers), padding, endOfStream);
    }

    @Override
    public void onHeadersRead(
        ChannelHandlerContext context,
        int streamId,
        Http2Headers headers,
        int dependency,
        short weight,
        boolean exclusive,
        int padding,
        boolean endOfStream)
        throws Http2Exception {
      super.onHeadersRead(
          context, streamId, unified(headers), dependency, weight, exclusive, padding, endOfStream);
    }

    private static Http2Headers unified(Http2Headers headers) {
      CharSequence status = headers.status();
      return status != null
              && status.length() == 3
              && status.charAt(0) == '1'
              && isUnknown(HttpResponseStatus.parseLine(status).code())
          ? headers.status(HttpResponseStatus.EARLY_HINTS.codeAsText())
          : headers;
    }
  }
}
