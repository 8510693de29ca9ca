package io.egress.api.pull;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.Arrays;
import java.util.Optional;

/** Which revision of a capture an answer is, for readers that have one already. */
record Revision(StreamPage.Entry entry, DocumentForm form) {
  private static final String ANY = "*";
  private static final String WEAK = "W/";

  void describe(HttpServerResponse response) {
    response
        .putHeader("x-service-position", Long.toString(entry.cursor().position()))
        .putHeader("x-service-revision", Long.toString(entry.revision()))
        .putHeader(HttpHeaders.VARY, "accept, accept-encoding");
    tag().ifPresent(tag -> response.putHeader(HttpHeaders.ETAG, WEAK + tag));
  }

  /** Whether the request is for a document only if it is another one. */
  boolean isHeldBy(HttpServerRequest request) {
    return tag()
        .map(tag ->
            request.headers().getAll(HttpHeaders.IF_NONE_MATCH).stream()
                .flatMap(list -> Arrays.stream(list.split(",", -1)))
                .map(String::strip)
                .anyMatch(held -> held.equals(ANY) || held.equals(tag) || held.equals(WEAK + tag)))
        .orElse(false);
  }

  /**
   * Empty while the document is stale: with a name that has changed, it differs from the one that
   * was sent with the same revision.
   */
  private Optional<String> tag() {
    return Optional.ofNullable(entry.bytes()).map(_ -> "\"" + form.tagged(entry.revision()) + "\"");
  }
}
