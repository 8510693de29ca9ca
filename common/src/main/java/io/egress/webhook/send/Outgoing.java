package io.egress.webhook.send;

import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.EndpointUrl;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A POST that an {@link Attempt} makes. Used only by the event loop that sends it. */
interface Outgoing {
  UUID id();

  /** Selects the event loop, and shares the limit of connections being opened. */
  UUID endpointId();

  EndpointUrl url();

  /** Null for that of the sender, if it has one. */
  @Nullable ClientCertificate certificate();

  /** Keeps its secrets out of what is stored of the response. */
  Redaction redaction();

  /** The most bytes read of the response body. */
  int answerBytesMax();

  /** What is kept of the bytes read of the response body. */
  Buffer kept(Buffer answerStart);

  BodyBuffers.Body body(BodyBuffers bodies);

  /** Returns what the delivery log shows of the request; null for nothing. */
  @Nullable SentRequest putHeaders(HttpClientRequest opened);
}
