package io.egress.acceptance;

import static io.egress.acceptance.Snippets.page;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** ARCHITECTURE.md names packages, classes and members that exist. */
class NamedClassesTest {
  private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
  private static final Pattern PACKAGE = Pattern.compile("[a-z]+(\\.[a-z]+)+");
  private static final Pattern CLASS =
      Pattern.compile("((?:[a-z]+\\.)*)([A-Z][a-z]\\w*)((?:\\.\\w+)*)");

  private final List<Path> sources = Sources.all(".java");

  @Test
  void exist() throws IOException {
    String text = page("ARCHITECTURE.md").replaceAll("(?ms)^```.*?^```", "");
    Set<String> named = new TreeSet<>();
    CODE.matcher(text).results().forEach(found -> named.add(found.group(1)));
    assertThat(named).contains("StreamEntry", "Outcome.Aborted", "api.relay.Outbox", "api.hook");

    List<String> unknown = new ArrayList<>();
    for (String name : named) {
      if (!exists(name)) {
        unknown.add(name);
      }
    }
    assertThat(unknown).isEmpty();
  }

  /** Names that are neither packages nor classes are not checked. */
  private boolean exists(String name) {
    Matcher type = CLASS.matcher(name);
    if (type.matches()) {
      String file = "/" + type.group(1).replace('.', '/') + type.group(2) + ".java";
      for (Path source : sources) {
        if (source.toString().endsWith(file)) {
          return hasMembers(Sources.read(source), type.group(3));
        }
      }
      return false;
    }
    String folder = "/io/egress/" + name.replace('.', '/') + "/";
    return !PACKAGE.matcher(name).matches()
        || !isOurs(name)
        || sources.stream().anyMatch(source -> source.toString().contains(folder));
  }

  /** Tables and columns are written like packages, too. */
  private boolean isOurs(String name) {
    String folder = "/io/egress/" + name.substring(0, name.indexOf('.')) + "/";
    return sources.stream().anyMatch(source -> source.toString().contains(folder));
  }

  private static boolean hasMembers(String source, String members) {
    return Stream.of(members.split("\\."))
        .allMatch(member -> Pattern.compile("\\b" + member + "\\b").matcher(source).find());
  }
}
