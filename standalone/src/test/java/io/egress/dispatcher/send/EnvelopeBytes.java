package io.egress.dispatcher.send;

/** Lets tests outside of this package post the very bytes that are signed. */
public final class EnvelopeBytes {
  private EnvelopeBytes() {}

  public static byte[] of(Envelope envelope) {
    return envelope.bytes().clone();
  }
}
