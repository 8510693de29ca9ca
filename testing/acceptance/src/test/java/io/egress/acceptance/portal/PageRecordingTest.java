package io.egress.acceptance.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An endpoint fails and gets what it missed, on the pages, as docs/portal/recording.svg shows it.
 * {@code EGRESS_TEST_WRITE_RECORDING=1} records it anew.
 */
@Tag("full")
class PageRecordingTest {
  private static final Path PICTURE = Path.of("..", "..", "docs", "portal", "recording.svg");
  private static final Pattern DESCRIBED = Pattern.compile("<desc>([^<]*)</desc>");
  private static final int SECONDS_EACH = 3;

  private static Chromium browser;
  private static PortalWorld world;

  private final UUID workspace = UUID.randomUUID();
  private final List<String> texts = new ArrayList<>();
  private final List<String> pictures = new ArrayList<>();

  @BeforeAll
  static void start() {
    browser = Chromium.start();
    world = new PortalWorld(Map.of());
  }

  @AfterAll
  static void stop() throws Exception {
    if (world != null) {
      world.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  @Test
  void isOfThePagesAsTheyAre() throws IOException {
    world.name(workspace, "Caldera Legal");
    world.endpoint(workspace, "search" + workspace, "Search index");
    world.endpoint(workspace, "crm" + workspace, "CRM");
    browser.scheme("light");
    browser.desktop();
    browser.go(world.link(workspace, "admin", "ada@example.com"));
    browser.awaitText("Captures in the stream");
    add();
    world.answer("crm" + workspace, 503, "out for lunch");
    for (String title : List.of("Roadmap review", "Weekly sales call", "Budget 2027")) {
      world.captureInStream(workspace, title);
    }
    await().until(() -> world.count(workspace, "state=exhausted") == 3);
    await().until(() -> world.count(workspace, "state=delivered") == 3);
    show("/", "3 given up");
    show("/deliveries", "Budget 2027");
    world.answer("crm" + workspace, 200, "");
    browser.go(world.url("/portal/" + workspace + "/"));
    browser.press("Send again");
    browser.awaitText("Finished: 3 of 3 delivered.");
    add();
    show("/", "6 delivered");

    if (System.getenv("EGRESS_TEST_WRITE_RECORDING") != null) {
      Files.writeString(PICTURE, svg());
    }
    List<Set<String>> pictured =
        DESCRIBED
            .matcher(Files.readString(PICTURE))
            .results()
            .map(text -> kinds(text.group(1).lines()))
            .toList();
    assertThat(pictured)
        .as("EGRESS_TEST_WRITE_RECORDING=1 records the pages anew")
        .isEqualTo(texts.stream().map(text -> kinds(text.lines())).toList());
  }

  private void show(String page, String text) {
    browser.go(world.url("/portal/" + workspace + page));
    browser.awaitText(text);
    add();
  }

  private void add() {
    texts.add(browser.text());
    pictures.add(browser.picture());
  }

  /** The lines without what differs from run to run. */
  private static Set<String> kinds(Stream<String> lines) {
    return lines
        .map(line ->
            line.replaceAll("\\d{4}-\\d\\d-\\d\\d( \\d\\d:\\d\\d:\\d\\d)?", "TIME")
                .replaceAll("\\b(now|\\d+ (s|min) ago|for \\d+ (s|min))", "")
                .replaceAll("127\\.0\\.0\\.1:\\d+", "HOST")
                .strip())
        .filter(line -> !line.isEmpty())
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private String svg() {
    int whole = SECONDS_EACH * pictures.size();
    StringBuilder svg =
        new StringBuilder(
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1280 860" width="960" height="645" role="img">
            <title>The pages: an endpoint is down, and one click sends it what it missed</title>
            <style>
            """);
    for (int i = 1; i < pictures.size(); i++) {
      svg.append(
          String.format(
              Locale.ROOT,
              "@keyframes p%1$d { 0%% { opacity: 0 } %2$.2f%% { opacity: 1 } } #p%1$d { animation: p%1$d %3$ds infinite step-end }%n",
              i,
              100.0 * i / pictures.size(),
              whole));
    }
    svg.append(
        "@media (prefers-reduced-motion: reduce) { g { animation: none !important } }\n</style>\n");
    for (int i = 0; i < pictures.size(); i++) {
      svg.append("<g id=\"p%d\"><desc>%s</desc>".formatted(i, escaped(texts.get(i))))
          .append("<image width=\"1280\" height=\"860\" href=\"data:image/webp;base64,")
          .append(pictures.get(i))
          .append("\"/></g>\n");
    }
    return svg.append("</svg>\n").toString();
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
