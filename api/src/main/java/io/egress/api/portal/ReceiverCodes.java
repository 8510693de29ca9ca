package io.egress.api.portal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.egress.api.portal.view.ReceiverCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.regex.Pattern;

/** The receivers of docs/receivers, which the build copies here and whose tests run them. */
final class ReceiverCodes {
  /** The environment variable that the receivers read the secret from. */
  private static final String SECRET = "SIGNING_SECRET";

  private static final Pattern PLACE = Pattern.compile(SECRET);

  private ReceiverCodes() {}

  static List<ReceiverCode> read() {
    return List.of(
        code("Java", "Receiver.java", "java Receiver.java 9000"),
        code("Node", "receiver.mjs", "node receiver.mjs 9000"),
        code("Python", "receiver.py", "python3 receiver.py 9000"),
        code("Go", "receiver.go", "go run receiver.go 9000"),
        code("Shell, by hand", "verify.sh", "bash verify.sh \"$x_service_signature\" body.json"));
  }

  private static ReceiverCode code(String language, String file, String command) {
    return new ReceiverCode(
        "code-" + file.replace('.', '-'),
        language,
        SECRET + "=whsec_... " + command,
        SECRET,
        List.of(PLACE.split(text("receivers/" + file), -1)));
  }

  private static String text(String resource) {
    try (InputStream stream =
        requireNonNull(
            ReceiverCodes.class.getResourceAsStream(resource), () -> "no resource " + resource)) {
      return new String(stream.readAllBytes(), UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
