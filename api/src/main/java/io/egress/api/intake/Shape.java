package io.egress.api.intake;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The fields to keep of an object, nested ones by their path ({@code device.id}); {@code *} means
 * all. Other fields are skipped while parsing.
 */
public final class Shape {
  private static final String ANY = "*";

  /** The name of the elements of an array that are kept, as in {@code events.[]}. */
  static final String ELEMENTS = "[]";

  private final Map<String, Shape> fields = new LinkedHashMap<>();

  private Shape() {}

  public static Shape of(String... paths) {
    return of(Stream.of(paths));
  }

  static Shape of(Stream<String> paths) {
    Shape shape = new Shape();
    for (String path : paths.toList()) {
      Shape at = shape;
      for (String name : path.split("\\.", -1)) {
        at = at.fields.computeIfAbsent(name, _ -> new Shape());
      }
    }
    return shape;
  }

  /** The fields of the object itself. */
  Set<String> names() {
    return fields.keySet();
  }

  /** The shape of the field's value, or null if the field is skipped. */
  @Nullable Shape field(String name) {
    Shape named = fields.get(name);
    return named == null ? fields.get(ANY) : named;
  }
}
