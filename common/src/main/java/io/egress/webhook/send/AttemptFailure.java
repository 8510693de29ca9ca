package io.egress.webhook.send;

import io.egress.platform.vertx.Channels;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.proxy.ProxyConnectException;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.StreamResetException;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Maps exceptions of the network and its codecs to a kind of failure and a text for people, which
 * is not {@link #tidy} yet.
 */
record AttemptFailure(FailureKind kind, String detail) {
  private static final Pattern PROXY_ANSWER = Pattern.compile("status: (.+)$");
  private static final int MAX_DETAIL_CHARACTERS = 200;

  static AttemptFailure whileConnecting(Throwable failure) {
    if (find(failure, SSLException.class) != null) {
      return tls(failure);
    }
    boolean network =
        failure instanceof IOException
            || failure instanceof HttpClosedException
            || isClosed(failure);
    return of(network ? FailureKind.CONNECT : FailureKind.BAD_RESPONSE, failure);
  }

  /** The operator's proxy has no name here: users of the settings page read this. */
  static AttemptFailure whileConnectingThroughProxy(Throwable failure) {
    if (find(failure, SSLException.class) != null) {
      return tls(failure);
    }
    if (failure instanceof ProxyConnectException) {
      Matcher answered = PROXY_ANSWER.matcher(String.valueOf(failure.getMessage()));
      String detail =
          answered.find()
              ? "the proxy answered " + answered.group(1)
              : "the proxy did not answer as one";
      return new AttemptFailure(FailureKind.PROXY, detail);
    }
    if (failure instanceof UnknownHostException) {
      return new AttemptFailure(FailureKind.PROXY, "the proxy's name has no address");
    }
    String reason = String.valueOf(innermost(failure).getMessage());
    return new AttemptFailure(FailureKind.PROXY, "cannot connect to the proxy: " + reason);
  }

  static AttemptFailure whileWaiting(Throwable failure) {
    if (find(failure, SSLException.class) != null) {
      return tls(failure);
    }
    return of(isReset(failure) ? FailureKind.RESET : FailureKind.BAD_RESPONSE, failure);
  }

  static AttemptFailure ofLookup(Throwable failure) {
    UnknownHostException unknown = find(failure, UnknownHostException.class);
    return of(FailureKind.DNS, unknown == null ? failure : unknown);
  }

  /** Whether the connection was lost during the request, as opposed to an invalid response. */
  private static boolean isReset(Throwable failure) {
    return failure instanceof IOException
        || failure instanceof HttpClosedException
        || failure instanceof StreamResetException
        || failure instanceof PrematureChannelClosureException
        || isClosed(failure);
  }

  /** Shortened, without characters that do not belong in a log or the database. */
  static String tidy(String text) {
    String visible = text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Cs}]+", " ");
    return visible.length() <= MAX_DETAIL_CHARACTERS
        ? visible
        : visible.substring(0, MAX_DETAIL_CHARACTERS - 1) + "…";
  }

  private static boolean isClosed(Throwable failure) {
    return failure instanceof ClosedChannelException || Channels.isClosed(failure);
  }

  private static AttemptFailure tls(Throwable failure) {
    AttemptFailure tls = of(FailureKind.TLS, innermost(failure));
    boolean certificate = find(failure, CertificateException.class) != null;
    return certificate ? new AttemptFailure(tls.kind, "certificate: " + tls.detail) : tls;
  }

  private static AttemptFailure of(FailureKind kind, Throwable failure) {
    String message = failure.getMessage();
    return new AttemptFailure(kind, message == null ? failure.getClass().getSimpleName() : message);
  }

  private static Throwable innermost(Throwable failure) {
    Throwable innermost = failure;
    while (innermost.getCause() != null) {
      innermost = innermost.getCause();
    }
    return innermost;
  }

  private static <T> @Nullable T find(Throwable failure, Class<T> type) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (type.isInstance(cause)) {
        return type.cast(cause);
      }
    }
    return null;
  }
}
