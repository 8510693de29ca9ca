package io.egress.api.portal.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.api.call.Call;
import io.egress.platform.http.Refusal;
import io.egress.platform.http.StorableText;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.vertx.core.http.HttpHeaders;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The fields of a submitted form. */
public final class PortalForm {
  static final String CSRF_FIELD = "csrf";

  private static final String TYPE = "application/x-www-form-urlencoded";
  private static final int FIELDS_MAX = 200;

  public static final PortalForm NONE = new PortalForm(Map.of());

  private final Map<String, List<String>> fields;

  private PortalForm(Map<String, List<String>> fields) {
    this.fields = fields;
  }

  /** Throws {@link Refusal}. */
  public static PortalForm of(Call call) {
    String type = call.request().getHeader(HttpHeaders.CONTENT_TYPE);
    if (type == null || !type.startsWith(TYPE)) {
      throw new Refusal(415, "the body must be a form");
    }
    String body = call.rawBody().toString(UTF_8);
    Map<String, List<String>> fields;
    try {
      fields = new QueryStringDecoder(body, UTF_8, false, FIELDS_MAX).parameters();
    } catch (IllegalArgumentException malformed) {
      throw new Refusal(400, "the form cannot be read");
    }
    fields.forEach((name, values) -> values.forEach(value -> StorableText.require(name, value)));
    return new PortalForm(fields);
  }

  /** Trimmed; empty if absent. */
  public String text(String name) {
    return fields.getOrDefault(name, List.of()).stream().findFirst().orElse("").strip();
  }

  /** The first value of each field. */
  public Map<String, String> fields() {
    Map<String, String> first = new HashMap<>();
    fields.keySet().forEach(name -> first.put(name, text(name)));
    return first;
  }

  public List<String> texts(String name) {
    return fields.getOrDefault(name, List.of()).stream().map(String::strip).toList();
  }

  public boolean isChecked(String name) {
    return !text(name).isEmpty();
  }
}
