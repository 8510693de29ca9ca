package io.egress.api.intake;

import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.json.jackson.DatabindCodec;
import java.util.Map;
import java.util.Optional;

/** A JSON object with the fields of a call: the body of a request, or what a form says. */
public interface GivenBody {
  /** Its fields; if it is unreadable, adds a fault to {@code faults}. */
  Optional<Fields> fields(Shape shape, BodyFaults faults);

  static GivenBody of(Buffer request) {
    return (shape, faults) -> JsonBody.read(request, shape, Map.of(), faults);
  }

  /** A request may leave out the body. */
  static GivenBody ofOptional(Buffer request) {
    return request.length() == 0 ? of(new JsonObject()) : of(request);
  }

  static GivenBody of(JsonObject form) {
    JsonNode fields = DatabindCodec.mapper().valueToTree(form);
    return (shape, faults) -> Optional.of(new Fields(fields, shape, "", faults));
  }
}
