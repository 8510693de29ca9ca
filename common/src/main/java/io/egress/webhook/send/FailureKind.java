package io.egress.webhook.send;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Why an attempt failed, as named in delivery records and metrics. */
public enum FailureKind {
  /** The receiver answered with a status other than 2xx, redirects included. */
  STATUS,
  /** No status line before the attempt's deadline. */
  TIMEOUT,
  /** The name has no address, or name servers did not answer. */
  DNS,
  /** No TCP connection to any of the addresses. */
  CONNECT,
  /** The TLS handshake failed, or the certificate is untrusted or for another name. */
  TLS,
  /** The connection was closed or reset before a status line. */
  RESET,
  /** The name resolves to an address that endpoints may not have. */
  BLOCKED_ADDRESS,
  /** The response is not HTTP, or its status is none. */
  BAD_RESPONSE,
  /** The operator's proxy did not make the connection. */
  PROXY,
  /** Nothing was sent: the endpoint's authorization server gave no access token. */
  TOKEN,
  /** Nothing was sent: the capture is damaged and has no document until it is written again. */
  DOCUMENT;

  /** Whether the receiver answered in HTTP. */
  public boolean isAnswer() {
    return switch (this) {
      case STATUS -> true;
      case TIMEOUT,
          DNS,
          CONNECT,
          TLS,
          RESET,
          BLOCKED_ADDRESS,
          BAD_RESPONSE,
          PROXY,
          TOKEN,
          DOCUMENT ->
          false;
    };
  }

  /** Whether the failure says anything about the endpoint. */
  public boolean isOfEndpoint() {
    return switch (this) {
      case STATUS, TIMEOUT, DNS, CONNECT, TLS, RESET, BLOCKED_ADDRESS, BAD_RESPONSE, TOKEN -> true;
      case PROXY, DOCUMENT -> false;
    };
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<FailureKind> find(String word) {
    return Arrays.stream(values()).filter(kind -> kind.word().equals(word)).findFirst();
  }
}
