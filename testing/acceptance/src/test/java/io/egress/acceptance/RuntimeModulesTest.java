package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;

/** {@code deploy/modules} has every module of the JDK that a library's classes name. */
class RuntimeModulesTest {
  private static final Path LIBRARIES = Path.of("..", "..", "standalone", "target", "lib");
  private static final Path MODULES = Path.of("..", "..", "deploy", "modules");

  /**
   * Its java.beans is named by classes of commons-beanutils, Jackson, pgjdbc, SnakeYAML and others
   * that the service does not load, or which do without it. It would be 24 MB.
   */
  private static final String LEFT_OUT = "java.desktop";

  private final Map<String, String> modulesOfPackages = new HashMap<>();

  /** The modules, and a class that names each. */
  private final Map<String, String> named = new TreeMap<>();

  @Test
  void hasTheModulesOfTheLibraries() throws Exception {
    for (ModuleReference module : ModuleFinder.ofSystem().findAll()) {
      ModuleDescriptor descriptor = module.descriptor();
      descriptor.packages().forEach(each -> modulesOfPackages.put(each, descriptor.name()));
    }
    try (Stream<Path> jars = Files.list(LIBRARIES)) {
      for (Path jar : jars.toList()) {
        read(jar);
      }
    }
    assertThat(named).containsKeys("java.base", "java.net.http", "java.sql");
    named.remove(LEFT_OUT);

    assertThat(modulesOfTheRuntime())
        .as(named.toString())
        .containsAll(named.keySet())
        .doesNotContain(LEFT_OUT);
  }

  private static Set<String> modulesOfTheRuntime() throws IOException {
    try (Stream<String> lines = Files.lines(MODULES)) {
      Set<String> listed = lines.filter(line -> !line.startsWith("#")).collect(Collectors.toSet());
      return Configuration.empty()
          .resolve(ModuleFinder.ofSystem(), ModuleFinder.of(), listed)
          .modules()
          .stream()
          .map(module -> module.name())
          .collect(Collectors.toSet());
    }
  }

  private void read(Path jar) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (ZipEntry entry : zip.stream().toList()) {
        String name = entry.getName();
        // Descriptions of modules name optional ones, too.
        if (name.endsWith(".class") && !name.endsWith("module-info.class")) {
          try (InputStream bytes = zip.getInputStream(entry)) {
            read(jar.getFileName() + "!" + name, bytes.readAllBytes());
          }
        }
      }
    }
  }

  private void read(String file, byte[] bytes) {
    for (PoolEntry entry : ClassFile.of().parse(bytes).constantPool()) {
      if (entry instanceof ClassEntry type) {
        String name = type.asInternalName().replaceFirst("^\\[+L?", "");
        int end = name.lastIndexOf('/');
        String module =
            end < 0 ? null : modulesOfPackages.get(name.substring(0, end).replace('/', '.'));
        if (module != null) {
          named.putIfAbsent(module, file + " names " + name);
        }
      }
    }
  }
}
