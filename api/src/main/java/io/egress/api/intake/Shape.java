package io.egress.api.intake;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which fields of an object are read, nested ones by their path ({@code device.id}); {@code *}
 * stands for all. Whatever else stands in the object is passed over, however large it is.
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
