package io.egress.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A secret in an option. Other users of a machine can read command lines, so the option may also
 * say where the secret is.
 */
record SecretText(String value) {
  static final String FORMS =
      "better than as it is: env:NAME, file:PATH, or - for a line of standard input";

  private static final String VARIABLE = "env:";
  private static final String FILE = "file:";
  private static final String STANDARD_INPUT = "-";

  /** Secrets are never printed. */
  @Override
  public String toString() {
    return "SecretText[withheld]";
  }

  static SecretText read(String given, Map<String, String> environment) {
    if (given.startsWith(VARIABLE)) {
      return ofVariable(given.substring(VARIABLE.length()), environment);
    }
    if (given.startsWith(FILE)) {
      return ofFile(given.substring(FILE.length()));
    }
    return given.equals(STANDARD_INPUT) ? ofInput() : new SecretText(given);
  }

  private static SecretText ofVariable(String name, Map<String, String> environment) {
    return Optional.ofNullable(environment.get(name))
        .filter(value -> !value.isEmpty())
        .map(SecretText::new)
        .orElseThrow(() -> new TypeConversionException("the variable " + name + " is not set"));
  }

  private static SecretText ofFile(String file) {
    try {
      return new SecretText(Files.readString(Path.of(file)).strip());
    } catch (IOException unreadable) {
      throw new TypeConversionException("the file " + file + " cannot be read");
    }
  }

  private static SecretText ofInput() {
    Console terminal = Output.terminal().orElse(null);
    String line = terminal == null ? Input.line() : new String(terminal.readPassword("secret: "));
    if (line == null || line.isBlank()) {
      throw new TypeConversionException("standard input has no line with the secret");
    }
    return new SecretText(line.strip());
  }

  /** Several options may read a line each. */
  private static final class Input {
    private static final BufferedReader LINES =
        new BufferedReader(new InputStreamReader(System.in, UTF_8));

    private static @Nullable String line() {
      try {
        return LINES.readLine();
      } catch (IOException unreadable) {
        throw new TypeConversionException("standard input cannot be read");
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
        return new Header(parts[0].strip(), SecretText.read(parts[1].strip(), environment));
      };
    }
  }
}
