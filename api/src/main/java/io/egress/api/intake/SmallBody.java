package io.egress.api.intake;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.buffer.Buffer;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Reads a body that is one object of a few fields. */
final class SmallBody {
  private SmallBody() {}

  static <T> Intake<T> read(Buffer body, Set<String> kept, Function<Fields, T> reader) {
    Faults faults = new Faults();
    Optional<ObjectNode> object = JsonBody.read(body, kept, Map.of(), faults);
    if (object.isEmpty()) {
      return new Intake.Refused<>(faults);
    }
    T value = reader.apply(new Fields(object.get(), "", faults));
    return faults.isEmpty() ? new Intake.Accepted<>(value) : new Intake.Refused<>(faults);
  }
}
