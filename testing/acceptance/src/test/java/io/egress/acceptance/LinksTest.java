package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links in the documentation lead to existing files and headings. */
class LinksTest {
  private static final Path ROOT = Path.of("..", "..");
  private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```|`[^`\n]*`");
  private static final Pattern INLINE = Pattern.compile("\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
  private static final Pattern DEFINITION = Pattern.compile("(?m)^\\[([^\\]]+)\\]: (\\S+)$");
  private static final Pattern REFERENCE =
      Pattern.compile("(?<!\\])\\[([A-Z][A-Za-z0-9]+)\\](?![(:\\[])");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.+)$");
  private static final Pattern ELSEWHERE = Pattern.compile("(https?|mailto):.*");

  @Test
  void haveTargets() throws IOException {
    List<Path> pages = pages();
    assertThat(pages)
        .map(ROOT::relativize)
        .contains(Path.of("README.md"), Path.of("docs/receiving.md"));
    List<String> broken = new ArrayList<>();
    for (Path page : pages) {
      for (String link : links(Files.readString(page))) {
        if (!ELSEWHERE.matcher(link).matches() && !leadsSomewhere(page, link)) {
          broken.add(ROOT.relativize(page) + ": " + link);
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void referenceLinksAreDefinedAndUsed() throws IOException {
    for (Path page : pages()) {
      String text = CODE.matcher(Files.readString(page)).replaceAll("");
      Set<String> defined = groups(DEFINITION, text);
      String prose = DEFINITION.matcher(text).replaceAll("");
      assertThat(groups(REFERENCE, prose)).as(page.toString()).isEqualTo(defined);
    }
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      Stream.concat(top, docs).filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
    }
    return pages;
  }

  private static List<String> links(String page) {
    String text = CODE.matcher(page).replaceAll("");
    List<String> links = new ArrayList<>();
    INLINE.matcher(text).results().map(found -> found.group(1)).forEach(links::add);
    DEFINITION.matcher(text).results().map(found -> found.group(2)).forEach(links::add);
    return links;
  }

  private static Set<String> groups(Pattern pattern, String text) {
    Set<String> groups = new HashSet<>();
    pattern
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .forEach(found -> groups.add(found.substring(1, found.indexOf(']'))));
    return groups;
  }

  private static boolean leadsSomewhere(Path page, String link) throws IOException {
    int hash = link.indexOf('#');
    String file = hash < 0 ? link : link.substring(0, hash);
    Path target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
    if (!Files.exists(target)) {
      return false;
    }
    return hash < 0 || anchors(Files.readString(target)).contains(link.substring(hash + 1));
  }

  /** As the hosts of repositories make them of headings. */
  private static Set<String> anchors(String page) {
    String text = Pattern.compile("(?ms)^```.*?^```").matcher(page).replaceAll("");
    Map<String, Integer> seen = new HashMap<>();
    Set<String> anchors = new HashSet<>();
    HEADING
        .matcher(text)
        .results()
        .map(found -> found.group(1).strip().toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .forEach(anchor -> {
          int before = seen.merge(anchor, 1, Integer::sum) - 1;
          anchors.add(before == 0 ? anchor : anchor + "-" + before);
        });
    return anchors;
  }
}
