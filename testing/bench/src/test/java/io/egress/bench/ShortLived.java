package io.egress.bench;

import io.egress.standalone.run.ChildProcess;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A command of {@link BenchMain} in a process of its own. */
public final class ShortLived {
  /**
   * Inherited by the processes that the command starts. None of them lives long enough to earn back
   * what C2 costs, and the cores they share are few.
   */
  private static final Map<String, String> WITHOUT_C2 =
      Map.of("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1");

  private ShortLived() {}

  public static ChildProcess start(Path folder, String... arguments) {
    return start(folder, Map.of(), arguments);
  }

  public static ChildProcess start(Path folder, Map<String, String> settings, String... arguments) {
    Map<String, String> environment = new HashMap<>(settings);
    environment.putAll(WITHOUT_C2);
    return ChildProcess.start(
        folder,
        arguments[0],
        new ChildProcess.Command(
            List.of("-Xmx512m", "-XX:+UseSerialGC"),
            BenchMain.class.getName(),
            List.of(arguments),
            environment));
  }
}
