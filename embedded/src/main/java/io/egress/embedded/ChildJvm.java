package io.egress.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** How processes of this JVM's own kind are started. */
public final class ChildJvm {
  /** Netty's direct memory and the native codecs of Kafka, as in {@code deploy/jvm/common}. */
  private static final List<String> OPTIONS =
      List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");

  /** Makes a JVM record what it loads, and write that when it ends. */
  public static final String RECORDS = "-XX:AOTMode=record";

  /** How long that may take on a slow machine. */
  public static final Duration RECORD_MAX = Duration.ofMinutes(5);

  private ChildJvm() {}

  /** The program and the options that every JVM of the service has. */
  public static List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(OPTIONS);
    return command;
  }
}
