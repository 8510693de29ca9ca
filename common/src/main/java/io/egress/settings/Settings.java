package io.egress.settings;

import io.egress.platform.database.DatabaseSettings;
import io.egress.platform.environment.ByteSizes;
import io.egress.platform.environment.Durations;
import io.egress.platform.environment.SettingDescription;
import io.egress.platform.environment.SettingsException;
import io.egress.platform.environment.SettingsReader;
import io.egress.platform.environment.TlsFiles;
import io.egress.platform.http.ListenerSettings;
import io.egress.platform.kafka.KafkaSettings;
import io.egress.platform.log.LogSettings;
import io.egress.platform.trace.TracingSettings;
import io.egress.webhook.send.PushSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** All settings of the service, parsed once from the environment. */
public record Settings(
    ListenerSettings internalListener,
    List<String> internalTokens,
    DatabaseSettings database,
    KafkaSettings kafka,
    ApiSettings api,
    PushSettings push,
    DispatcherSettings dispatcher,
    ProcessSettings process) {
  /** Settings of every process, whatever its role. */
  public record ProcessSettings(
      Path dataDir,
      Duration shutdownTimeout,
      Duration idleTimeout,
      LogSettings log,
      TracingSettings tracing) {}

  private static final int TOKEN_LENGTH_MIN = 16;
  private static final Set<String> ANY = Set.of("0.0.0.0", "::");
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "::1");

  public Settings {
    internalTokens = List.copyOf(internalTokens);
  }

  /** The first token, used by the service's own clients. */
  public String internalToken() {
    return internalTokens.get(0);
  }

  /** Throws {@link SettingsException} that lists every fault. */
  public static Settings from(Map<String, String> environment) {
    return from(environment, Map.of());
  }

  /** With values for tests that are {@code fixed} otherwise. */
  public static Settings from(Map<String, String> environment, Map<String, String> fixed) {
    SettingsReader reader = new SettingsReader(environment, fixed);
    Settings settings = read(reader);
    reader.finish();
    return settings;
  }

  /** All settings, in the order of the documentation. */
  public static List<SettingDescription> descriptions() {
    SettingsReader reader = new SettingsReader(Map.of());
    read(reader);
    return reader.described();
  }

  /**
   * Checks what only the api role needs: its listeners must have different addresses, and a page
   * that may be embedded must have a URL that browsers reach. Throws {@link SettingsException}.
   */
  public void requireForApi() {
    List<String> faults = new ArrayList<>();
    ListenerSettings external = api.publicListener();
    int port = internalListener.port();
    if (port != 0 && port == external.port() && overlap(internalListener.host(), external.host())) {
      faults.add(
          "EGRESS_PUBLIC_PORT and EGRESS_INTERNAL_PORT are both " + port + ": they must differ");
    }
    if (!api.portal().ancestors().isEmpty()
        && api.portal().url() == null
        && !LOOPBACK.contains(internalListener.host())) {
      faults.add(
          "EGRESS_PORTAL_URL is required with EGRESS_PORTAL_ANCESTORS: the https URL at which"
              + " browsers reach the internal listener");
    }
    if (!faults.isEmpty()) {
      throw new SettingsException(faults);
    }
  }

  private static boolean overlap(String host, String other) {
    return host.equals(other) || ANY.contains(host) || ANY.contains(other);
  }

  /** The record's default form would print the token and the database password. */
  @Override
  public String toString() {
    return "Settings[secrets withheld]";
  }

  private static Settings read(SettingsReader reader) {
    ApiSettings api = api(reader);
    return new Settings(
        ListenerSettings.internal(
            reader.text("EGRESS_INTERNAL_HOST", "127.0.0.1", "address of the internal listener"),
            reader.port(
                "EGRESS_INTERNAL_PORT", 8081, "port of the internal listener, 0 for any free one")),
        tokens(reader),
        DatabaseSettings.read(reader),
        KafkaSettings.read(reader),
        api,
        PushSettings.read(reader),
        DispatcherSettings.read(reader),
        process(reader));
  }

  private static ApiSettings api(SettingsReader reader) {
    ListenerSettings listener =
        new ListenerSettings(
            reader.text("EGRESS_PUBLIC_HOST", "0.0.0.0", "address of the public listener"),
            reader.port(
                "EGRESS_PUBLIC_PORT", 8080, "port of the public listener, 0 for any free one"),
            TlsFiles.read(reader));
    long maxCaptureBytes =
        reader.bytes(
            "EGRESS_MAX_CAPTURE_SIZE", "16MiB", "largest body that the completion hook accepts");
    return new ApiSettings(
        listener,
        maxCaptureBytes,
        MemoryShares.read(reader, maxCaptureBytes),
        reader.fixedDuration("hook-stall", "30s"),
        reader.fixedDuration("pull-stall", "30s"),
        Integer.parseInt(reader.fixed("pulls-waiting", "10000")),
        reader.fixedDuration("memory-wait", "10s"),
        ByteSizes.parse(reader.fixed("client-rate-min", "8KiB")),
        reader.fixedDuration("relay-interval", "1s"),
        reader.optional(
            "EGRESS_RETENTION",
            "how long captures are kept before they are erased, such as 400d; without it, for good."
                + " A workspace can have its own",
            Settings::retention),
        reader.optional(
            "EGRESS_WORKSPACE_RATE",
            "captures per second that a workspace may put into a process; without it, any number",
            Settings::rate),
        PortalSettings.read(reader));
  }

  private static Duration retention(String text) {
    Duration duration = Durations.parse(text);
    if (duration.compareTo(Duration.ofMinutes(1)) < 0) {
      throw new IllegalArgumentException("must be at least 1m");
    }
    return duration;
  }

  private static Integer rate(String text) {
    return SettingsReader.wholeNumber(text, 1, 1_000_000);
  }

  private static ProcessSettings process(SettingsReader reader) {
    return new ProcessSettings(
        Path.of(
            reader.text(
                "EGRESS_DATA_DIR", "./data", "data folder of the embedded PostgreSQL and Kafka")),
        reader.duration(
            "EGRESS_SHUTDOWN_TIMEOUT",
            "30s",
            Duration.ofSeconds(1),
            "how long a stopping process may take to finish work in progress"),
        reader.fixedDuration("idle", "3m"),
        LogSettings.read(reader),
        TracingSettings.read(reader));
  }

  private static List<String> tokens(SettingsReader reader) {
    String setting =
        reader.required(
            "EGRESS_INTERNAL_TOKEN",
            "bearer token of the internal API; several, comma-separated, to rotate: each is accepted");
    List<String> tokens = Arrays.stream(setting.split(",", -1)).map(String::strip).toList();
    if (!setting.isEmpty()
        && tokens.stream().anyMatch(token -> token.length() < TOKEN_LENGTH_MIN)) {
      reader.fault("EGRESS_INTERNAL_TOKEN must have at least 16 characters");
    }
    return tokens;
  }
}
