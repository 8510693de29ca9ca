package io.egress.standalone.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the JVMs of the service are started with: the options of a role, which are in a file, and an
 * AOT cache, which holds the classes and counts of a training run. The start script names both
 * folders; without it there are neither.
 */
public final class ServiceJvm {
  /** The cache of both roles, in one JVM or two. */
  public static final String SERVICE = "service";

  public static final String BROKER = "broker";

  private ServiceJvm() {}

  /** Those of {@code role}, with the cache if there is one, and the heap's size. */
  public static List<String> options(String role, int heapMegabytes) {
    List<String> options = new ArrayList<>(ofRole(role));
    options.addAll(cached(SERVICE));
    options.add("-Xmx" + heapMegabytes + "m");
    return options;
  }

  /** {@code role} is api, dispatcher or up. */
  public static List<String> ofRole(String role) {
    Path files = folder("egress.jvm");
    return files == null ? List.of() : List.of("@" + files.resolve(role));
  }

  /** What is added to those of the embedded broker. */
  public static List<String> broker() {
    return cached(BROKER);
  }

  /** The folder of the caches. */
  public static @Nullable Path caches() {
    return folder("egress.caches");
  }

  public static Path cache(Path folder, String name) {
    return folder.resolve(name + ".aot");
  }

  /** The JVM says in three lines that a cache does not fit; the service does in one. */
  private static List<String> cached(String name) {
    Path folder = caches();
    return folder != null && Files.exists(cache(folder, name))
        ? List.of("-XX:AOTCache=" + cache(folder, name), "-Xlog:aot*=off")
        : List.of();
  }

  private static @Nullable Path folder(String property) {
    String folder = System.getProperty(property, "");
    return folder.isEmpty() ? null : Path.of(folder);
  }
}
