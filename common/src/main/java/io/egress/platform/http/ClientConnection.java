package io.egress.platform.http;

import io.egress.platform.vertx.Channels;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.AttributeKey;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.util.Set;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a client, as the channel sees it. Requests are answered one at a time, so at
 * most one is in progress; it ends with the channel, whatever state its response is in.
 *
 * <p>A client may close its sending direction once it has sent whole requests (a half-closed
 * connection): they are answered, and the connection is closed after the last response. Whether
 * such a client is still there is unknown until something is written to it.
 *
 * <p>A failed channel is closed here and not reported to Vert.x, which would look for the response
 * of a pipelined request that has not begun, and throw.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the promises that are passed on tell the result
final class ClientConnection extends ChannelDuplexHandler {
  private static final AttributeKey<ClientConnection> KEY =
      AttributeKey.valueOf(ClientConnection.class, "connection");
  private static final String BEFORE = "handler";

  private final Set<ClientConnection> open;
  private final Channel channel;
  private @Nullable RequestLifetime current;
  private boolean receiving;
  private boolean inputEnded;
  private int unanswered;
  private Unread unread = Unread.NOTHING;
  private int stalledChecks;

  /**
   * What the client has not taken yet.
   *
   * @param first of the first message, which is taken in parts
   */
  private record Unread(long bytes, long first) {
    private static final Unread NOTHING = new Unread(0, 0);
  }

  private ClientConnection(Set<ClientConnection> open, Channel channel) {
    this.open = open;
    this.channel = channel;
  }

  /**
   * Call when a connection is opened, before its first request is handled. It is in {@code open}
   * until it ends, which only its event loop may use.
   */
  static void watch(HttpConnection opened, Set<ClientConnection> open) {
    Channel channel = Channels.of(opened);
    ClientConnection connection = new ClientConnection(open, channel);
    open.add(connection);
    channel.attr(KEY).set(connection);
    channel.pipeline().addBefore(BEFORE, "egress-client-connection", connection);
    if (!opened.isSsl()) {
      // In TLS the end of the input without a close_notify would be a truncation.
      channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    }
  }

  /** The request's response is the next one on its connection. */
  static void begin(HttpServerRequest request, RequestLifetime lifetime) {
    Channel channel = Channels.of(request.connection());
    ClientConnection connection = channel.attr(KEY).get();
    connection.current = lifetime;
    if (connection.inputEnded) {
      lifetime.clientSentAll();
    }
    if (!channel.isActive()) {
      lifetime.clientGone();
    }
  }

  /**
   * Call periodically while the listener stops. Ends the connection if its client has taken nothing
   * of an answer for {@code checksMax} calls.
   */
  void endIfStalled(long checksMax) {
    Unread now = unread();
    stalledChecks = now.equals(unread) && now.bytes() > 0 ? stalledChecks + 1 : 0;
    unread = now;
    if (stalledChecks >= checksMax) {
      // Vert.x would wait for the client to read.
      channel.pipeline().context(this).close();
    }
  }

  private Unread unread() {
    ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
    if (buffer == null) {
      return Unread.NOTHING;
    }
    long first = buffer.current() instanceof ByteBuf part ? part.readableBytes() : 0;
    return new Unread(buffer.totalPendingWriteBytes(), first);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpRequest) {
      unanswered++;
      receiving = true;
    }
    if (message instanceof LastHttpContent) {
      receiving = false;
    }
    context.fireChannelRead(message);
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (!(message instanceof LastHttpContent) || isInterim(message)) {
      context.write(message, promise);
      return;
    }
    unanswered--;
    ChannelPromise written = promise.unvoid();
    RequestLifetime answered = current;
    written.addListener(result -> {
      if (result.isSuccess() && answered == current) {
        current = null;
      }
    });
    if (inputEnded && unanswered == 0) {
      written.addListener(ChannelFutureListener.CLOSE);
    }
    context.write(message, written);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof IdleStateEvent && current != null && current.isHeld()) {
      return;
    }
    if (event instanceof ChannelInputShutdownEvent) {
      inputEnded = true;
      if (receiving || unanswered == 0) {
        context.close();
      } else if (current != null) {
        current.clientSentAll();
      }
    }
    context.fireUserEventTriggered(event);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (isOfChannel(cause)) {
      context.close();
    } else {
      context.fireExceptionCaught(cause);
    }
  }

  /**
   * A channel that has ended may still deliver what it had read. Vert.x would then stop reading
   * from it, which fails because it is no longer registered.
   */
  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (context.channel().isActive()) {
      context.fireChannelReadComplete();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    open.remove(this);
    context.fireChannelInactive();
    if (current != null) {
      current.clientGone();
      current = null;
    }
  }

  private static boolean isInterim(Object message) {
    return message instanceof HttpResponse response
        && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
  }

  /** The rest is of the decoder: bytes that are not HTTP, which are answered with 400. */
  private static boolean isOfChannel(Throwable cause) {
    return cause instanceof IOException
        || (cause instanceof DecoderException && cause.getCause() instanceof SSLException);
  }
}
