package io.egress.send;

import java.util.Locale;

/** Why an attempt failed, in the words that delivery records and metrics use. */
public enum FailureKind {
  /** The receiver answered, but not with 2xx; a redirect is one of these. */
  STATUS,
  /** No status line within the attempt's deadline. */
  TIMEOUT,
  /** The name has no address, or name servers gave no answer. */
  DNS,
  /** No TCP connection to any of the addresses. */
  CONNECT,
  /** The handshake failed, or the certificate is not trusted or for another name. */
  TLS,
  /** The connection was closed or reset before a status line. */
  RESET,
  /** The name leads to an address that endpoints may not have. */
  BLOCKED_ADDRESS,
  /** What came back is not an HTTP answer. */
  BAD_RESPONSE,
  /** Nothing was sent: the capture is damaged and has no document until it is put again. */
  DOCUMENT;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
