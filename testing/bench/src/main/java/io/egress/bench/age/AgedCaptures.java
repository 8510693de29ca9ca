package io.egress.bench.age;

import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The value of {@code --aged}: how many captures an embedded database begins with. */
public final class AgedCaptures implements ITypeConverter<Long> {
  private static final long MIN = 10_000;
  private static final String DATABASE = "EGRESS_DATABASE_URL";

  @Override
  public Long convert(String text) {
    return parse(text, System.getenv());
  }

  static long parse(String text, Map<String, String> environment) {
    if (!environment.getOrDefault(DATABASE, "").isBlank()) {
      throw new TypeConversionException(
          DATABASE
              + " names a database, and only embedded servers can begin with an aged one. Unset it,"
              + " or fill that database with `./egress age --database`");
    }
    long captures = number(text);
    if (captures < MIN) {
      throw new TypeConversionException("must be a number of captures, at least " + MIN);
    }
    return captures;
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text.replace(",", ""));
    } catch (NumberFormatException none) {
      return 0;
    }
  }
}
