package io.egress.platform.http;

import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.StreamResetException;
import java.io.IOException;

/** The client closed its connection, or was disconnected because it neither read nor sent. */
public final class ClientGoneException extends IOException {
  private static final long serialVersionUID = 1L;

  public ClientGoneException(String message) {
    super(message);
  }

  /**
   * Translates a failure of a request's stream: either the connection has ended, or the bytes are
   * not HTTP.
   */
  public static Throwable orBadFraming(Throwable failure) {
    return failure instanceof IOException || isOfConnection(failure)
        ? new ClientGoneException("the client disconnected")
        : Refusal.closing(400, "the framing of the body could not be read");
  }

  static boolean isOfConnection(Throwable failure) {
    return failure instanceof HttpClosedException || failure instanceof StreamResetException;
  }
}
