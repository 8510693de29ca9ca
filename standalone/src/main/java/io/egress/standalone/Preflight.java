package io.egress.standalone;

import io.egress.platform.environment.SettingsException;
import io.egress.platform.http.ListenerSettings;
import io.egress.settings.Settings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Checks, before the embedded servers are started, what would prevent the service from starting.
 * All problems are reported at once, each with its setting's name.
 */
final class Preflight {
  /** Placeholders for the addresses of servers that are not started yet. */
  private static final Map<String, String> NOT_STARTED_YET =
      Map.of(
          "EGRESS_DATABASE_URL", "postgresql://egress@127.0.0.1/egress",
          "EGRESS_KAFKA_BOOTSTRAP", "127.0.0.1:9092",
          "EGRESS_INTERNAL_TOKEN", "made-when-the-service-starts",
          "EGRESS_SECRET_KEY", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");

  private Preflight() {}

  /** Throws a {@link SettingsException} that names every fault. */
  static void check(Map<String, String> environment) {
    Map<String, String> complete = new TreeMap<>(environment);
    NOT_STARTED_YET.forEach((name, standIn) ->
        complete.merge(name, standIn, (given, other) -> given.isBlank() ? other : given));
    Settings settings = Settings.from(complete);
    settings.requireForApi();
    List<String> faults = new ArrayList<>();
    checkPort(settings.api().publicListener(), faults);
    checkPort(settings.internalListener(), faults);
    if (!faults.isEmpty()) {
      throw new SettingsException(faults);
    }
  }

  /** Creates a missing folder. Throws {@link SettingsException} if it is not writable. */
  static void checkFolder(Path dataDir) {
    String fault;
    try {
      Files.createDirectories(dataDir);
      Files.delete(Files.createTempFile(dataDir, "write-test", ""));
      return;
    } catch (AccessDeniedException denied) {
      fault = "permission denied";
    } catch (FileAlreadyExistsException noFolder) {
      fault = "it is not a folder";
    } catch (FileSystemException failure) {
      fault = failure.getReason() == null ? "it cannot be created" : failure.getReason();
    } catch (IOException failure) {
      fault = failure.getMessage();
    }
    throw new SettingsException(
        List.of(
            "EGRESS_DATA_DIR: %s cannot be written to: %s"
                .formatted(dataDir.toAbsolutePath(), fault)));
  }

  private static void checkPort(ListenerSettings listener, List<String> faults) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(listener.host(), listener.port()));
    } catch (IOException refused) {
      faults.add(
          "%s: cannot listen on %s:%d: %s"
              .formatted(
                  listener.portName(), listener.host(), listener.port(), refused.getMessage()));
    }
  }
}
