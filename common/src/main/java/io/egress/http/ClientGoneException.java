package io.egress.http;

import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.StreamResetException;
import java.io.IOException;

/** The client hung up, or is given up because it neither reads nor sends: nobody to answer. */
public final class ClientGoneException extends IOException {
  private static final long serialVersionUID = 1L;

  public ClientGoneException(String message) {
    super(message);
  }

  /**
   * What the failure of a request's stream means: its end, by whatever means, or bytes that are no
   * HTTP.
   */
  public static Throwable orBadFraming(Throwable failure) {
    return failure instanceof IOException || isOfConnection(failure)
        ? new ClientGoneException("the client hung up")
        : Refusal.closing(400, "the framing of the body could not be read");
  }

  static boolean isOfConnection(Throwable failure) {
    return failure instanceof HttpClosedException || failure instanceof StreamResetException;
  }
}
