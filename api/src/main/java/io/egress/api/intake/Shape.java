package io.egress.api.intake;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which fields of an object are read, nested ones by their path ({@code device.id}); {@code *}
 * means all. Other fields are skipped without being held in memory.
 */
public final class Shape {
  private static final String ANY = "*";

  private final Map<String, Shape> fields = new HashMap<>();

  private Shape() {}

  public static Shape of(String... paths) {
    Shape shape = new Shape();
    for (String path : paths) {
      Shape at = shape;
      for (String name : path.split("\\.", -1)) {
        at = at.fields.computeIfAbsent(name, added -> new Shape());
      }
    }
    return shape;
  }

  /** The shape of what stands in the field, or null when the field is not read. */
  @Nullable Shape field(String name) {
    Shape named = fields.get(name);
    return named == null ? fields.get(ANY) : named;
  }
}
