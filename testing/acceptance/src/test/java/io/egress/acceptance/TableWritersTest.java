package io.egress.acceptance;

import static io.egress.acceptance.Snippets.page;
import static io.egress.acceptance.Snippets.rows;
import static java.util.Comparator.comparingInt;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * ARCHITECTURE.md says of each table which classes and functions write to it, docs/scaling.md what
 * it holds and for how long.
 */
class TableWritersTest {
  private static final Pattern TABLE = Pattern.compile("create table (?:if not exists )?(\\w+)");
  private static final Pattern NAME = Pattern.compile("`([^`]+)`");
  private static final Pattern FUNCTION =
      Pattern.compile("create (?:or replace )?function (\\w+).*?\\$\\$(.*?)\\$\\$", Pattern.DOTALL);
  private static final Pattern VERSION = Pattern.compile("^V(\\d+)__");
  private static final String WRITE =
      "\\b(?:insert\\s+into|update(?:\\s+only)?|delete\\s+from)\\s+";
  private static final Pattern WRITE_TO = Pattern.compile(WRITE + "(\\w+)");

  /** The partitions of a day have names of their own, which only these classes write to. */
  private static final Map<String, String> BY_PARTITION =
      Map.of("deliveries", "DeliveryLog", "attempts", "LogRows", "pages", "PageLog");

  private static final Pattern WRITE_TO_PARTITION = Pattern.compile(WRITE + "%");

  private final Map<String, Set<String>> writers = new TreeMap<>();

  @Test
  void areAsDescribed() throws IOException {
    String migrations =
        Sources.ofProduct(".sql").stream()
            .sorted(comparingInt(TableWritersTest::version))
            .map(Sources::read)
            .collect(Collectors.joining("\n"));
    TABLE
        .matcher(migrations)
        .results()
        .forEach(each -> writers.put(each.group(1), new TreeSet<>()));
    Map<String, String> functions = new TreeMap<>();
    FUNCTION
        .matcher(migrations)
        .results()
        .forEach(each -> functions.put(each.group(1) + "()", each.group(2)));
    functions.forEach((name, text) -> add(text, name));
    Set<String> writersOfPartitions = new TreeSet<>();
    for (Path source : Sources.ofProduct(".java")) {
      String name = source.getFileName().toString().replace(".java", "");
      String text = Sources.read(source);
      add(text, name);
      if (WRITE_TO_PARTITION.matcher(text).find()) {
        writersOfPartitions.add(name);
      }
    }
    BY_PARTITION.forEach(
        (table, writer) -> writers.computeIfAbsent(table, _ -> new TreeSet<>()).add(writer));

    assertThat(writersOfPartitions).isEqualTo(Set.copyOf(BY_PARTITION.values()));
    Map<String, Set<String>> described = described();
    assertThat(described.keySet()).isEqualTo(writers.keySet());
    writers.forEach((table, found) ->
        assertThat(described.get(table)).as("writers of %s", table).isEqualTo(found));
  }

  /** A table that grows and that nobody has thought of would be found by a full disk. */
  @Test
  void theirGrowthIsDescribed() throws IOException {
    Set<String> described = new TreeSet<>();
    for (String row :
        rows(
            page("docs/scaling.md"),
            "| table | rows for a million captures | what ends them | the oldest |")) {
      NAME.matcher(row.substring(0, row.indexOf('|', 1)))
          .results()
          .forEach(name -> described.add(name.group(1)));
    }

    assertThat(described).isEqualTo(tables());
  }

  private static Set<String> tables() throws IOException {
    Set<String> tables = new TreeSet<>();
    for (Path migration : Sources.ofProduct(".sql")) {
      TABLE.matcher(Sources.read(migration)).results().forEach(each -> tables.add(each.group(1)));
    }
    return tables;
  }

  /** Later definitions of a function replace earlier ones. */
  private static int version(Path migration) {
    Matcher number = VERSION.matcher(migration.getFileName().toString());
    return number.find() ? Integer.parseInt(number.group(1)) : 0;
  }

  private void add(String text, String writer) {
    WRITE_TO
        .matcher(text)
        .results()
        .map(each -> writers.get(each.group(1)))
        .filter(Objects::nonNull)
        .forEach(known -> known.add(writer));
  }

  private static Map<String, Set<String>> described() throws IOException {
    Map<String, Set<String>> described = new TreeMap<>();
    for (String row : rows(page("ARCHITECTURE.md"), "| table | written by |")) {
      List<String> names = NAME.matcher(row).results().map(each -> each.group(1)).toList();
      described.put(names.getFirst(), new TreeSet<>(names.subList(1, names.size())));
    }
    return described;
  }
}
