package io.egress.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A secret in an option. Other users of a machine can read command lines, so the option may also
 * say where the secret is. It is read when it is needed.
 */
final class SecretText {
  static final String FORMS =
      "better than as it is: env:NAME, file:PATH, or - for a line of standard input";

  private static final String VARIABLE = "env:";
  private static final String FILE = "file:";
  private static final String STANDARD_INPUT = "-";

  private final String given;
  private final Map<String, String> environment;

  SecretText(String given, Map<String, String> environment) {
    this.given = given;
    this.environment = environment;
  }

  String value() {
    if (given.startsWith(VARIABLE)) {
      return ofVariable(given.substring(VARIABLE.length()));
    }
    if (given.startsWith(FILE)) {
      return ofFile(given.substring(FILE.length()));
    }
    return given.equals(STANDARD_INPUT) ? ofInput() : given;
  }

  /** Secrets are never printed. */
  @Override
  public String toString() {
    return "SecretText[withheld]";
  }

  private String ofVariable(String name) {
    String value = environment.getOrDefault(name, "");
    if (value.isEmpty()) {
      throw new UsageException("the variable " + name + " is not set");
    }
    return value;
  }

  private static String ofFile(String file) {
    return contents(file).strip();
  }

  /** The contents of a file that an option names. */
  static String contents(String file) {
    try {
      return Files.readString(Path.of(file));
    } catch (IOException unreadable) {
      throw new UsageException("the file " + file + " cannot be read");
    }
  }

  private static String ofInput() {
    Console terminal = Output.terminal().orElse(null);
    String line = terminal == null ? Input.line() : new String(terminal.readPassword("secret: "));
    if (line == null || line.isBlank()) {
      throw new UsageException("standard input has no line with the secret");
    }
    return line.strip();
  }

  /** Several options may read a line each. */
  private static final class Input {
    private static final BufferedReader LINES =
        new BufferedReader(new InputStreamReader(System.in, UTF_8));

    private static @Nullable String line() {
      try {
        return LINES.readLine();
      } catch (IOException unreadable) {
        throw new IllegalStateException("standard input cannot be read", unreadable);
      }
    }
  }

  /** A header, whose value may be a secret. */
  record Header(String name, SecretText value) {
    static ITypeConverter<Header> reader(Map<String, String> environment) {
      return line -> {
        String[] parts = line.split(":", 2);
        if (parts.length < 2) {
          throw new TypeConversionException("expected 'NAME: VALUE', not '" + line + "'");
        }
        return new Header(parts[0].strip(), new SecretText(parts[1].strip(), environment));
      };
    }
  }
}
