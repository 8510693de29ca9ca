package io.egress.embedded;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How processes of this JVM's own kind are started. */
public final class ChildJvm {
  /** Netty's direct memory and the native codecs of Kafka, as in {@code egress} and the images. */
  private static final List<String> OPTIONS =
      List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");

  private ChildJvm() {}

  /** The program and the options that every JVM of the service has. */
  public static List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(OPTIONS);
    return command;
  }
}
