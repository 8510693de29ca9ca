package io.egress.api.call;

import io.egress.platform.json.Json;
import io.vertx.core.buffer.Buffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a call.
 *
 * @param contentType null without a body
 * @param body null if there is none
 */
public record Answer(
    int status, Map<String, String> headers, @Nullable String contentType, @Nullable Body body) {
  /** Writes the body, piece by piece; what it throws cuts the response off. */
  public interface Body {
    void write(Sink sink);
  }

  /** Where a body is written to. */
  public interface Sink {
    /** Returns when the client keeps up. */
    void write(Buffer piece);
  }

  /** A body that is known before the first byte is sent. */
  record Whole(Buffer bytes) implements Body {
    @Override
    public void write(Sink sink) {
      sink.write(bytes);
    }
  }

  public static Answer ok(Object json) {
    return json(200, json);
  }

  public static Answer created(Object json) {
    return json(201, json);
  }

  public static Answer accepted(Object json) {
    return json(202, json);
  }

  public static Answer noContent() {
    return new Answer(204, Map.of(), null, null);
  }

  /** Redirects after a form was accepted. */
  public static Answer seeOther(String path) {
    return new Answer(303, Map.of("location", path), null, null);
  }

  public static Answer html(int status, String page) {
    return of(status, "text/html; charset=utf-8", Buffer.buffer(page));
  }

  public static Answer of(int status, String contentType, Buffer body) {
    return new Answer(status, Map.of(), contentType, new Whole(body));
  }

  public static Answer streamed(String contentType, Body body) {
    return new Answer(200, Map.of(), contentType, body);
  }

  public Answer with(String header, String value) {
    Map<String, String> all = new HashMap<>(headers);
    all.put(header, value);
    return new Answer(status, all, contentType, body);
  }

  private static Answer json(int status, Object json) {
    return of(status, "application/json", Json.encode(json));
  }
}
