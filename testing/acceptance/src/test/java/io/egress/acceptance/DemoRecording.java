package io.egress.acceptance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The output of the demo as an animated picture, docs/demo.svg, in the pace in which its lines
 * came. A picture of another kind of output than today's is out of date.
 */
final class DemoRecording {
  static final Path PICTURE = Path.of("..", "..", "docs", "demo.svg");

  private static final Pattern ROW = Pattern.compile("(\\d\\d:\\d\\d:\\d\\d\\.\\d{3})  \\S.*");
  private static final Pattern LOG = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\S+ +[A-Z]+ .*");
  private static final Pattern TEXT = Pattern.compile("<text [^>]*>([^<]*)</text>");
  private static final Duration PAUSE = Duration.ofMillis(350);
  private static final Duration STILL = Duration.ofSeconds(6);
  private static final int COLUMNS = 104;
  private static final int ROWS = 24;
  private static final double COLUMN_WIDTH = 7.83;
  private static final int ROW_HEIGHT = 18;
  private static final int MARGIN = 16;

  /** A line, and when it comes after the beginning. */
  private record Line(String text, Duration at) {}

  private final List<Line> lines;

  private DemoRecording(List<Line> lines) {
    this.lines = lines;
  }

  /** Of all that the command has printed; what is logged is left out. */
  static DemoRecording of(String output) {
    List<Line> lines = new ArrayList<>();
    lines.add(new Line("$ ./egress demo", Duration.ZERO));
    Duration at = Duration.ofMillis(800);
    @Nullable LocalTime before = null;
    for (String text :
        output
            .lines()
            .dropWhile(line -> !line.startsWith("starting "))
            .filter(line -> !LOG.matcher(line).matches())
            .toList()) {
      Matcher row = ROW.matcher(text);
      if (row.matches()) {
        LocalTime time = LocalTime.parse(row.group(1));
        at = at.plus(before == null ? PAUSE : Duration.between(before, time));
        before = time;
      } else {
        at = at.plus(text.isEmpty() ? Duration.ZERO : PAUSE);
      }
      lines.add(new Line(text, at));
    }
    return new DemoRecording(lines);
  }

  /** The kinds of lines of the picture that is there. */
  static Set<String> pictured() throws IOException {
    return kinds(
        TEXT.matcher(Files.readString(PICTURE))
            .results()
            .map(text ->
                text.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")));
  }

  /** The kinds of lines: without what differs from run to run. */
  Set<String> kinds() {
    return kinds(lines.stream().map(Line::text));
  }

  private static Set<String> kinds(Stream<String> lines) {
    return lines
        .filter(line -> !line.isBlank())
        .map(line ->
            cut(line)
                .replaceFirst("Talk about .*", "Talk about")
                .replaceAll("service_\\w+|open#\\S+", "SECRET")
                .replaceAll("\\d+", "N")
                .replaceAll(" +", " ")
                .strip())
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  void write() throws IOException {
    Files.writeString(PICTURE, svg());
  }

  private static String cut(String line) {
    return line.length() > COLUMNS ? line.substring(0, COLUMNS - 1) + "…" : line;
  }

  private String svg() {
    double width = 2 * MARGIN + COLUMNS * COLUMN_WIDTH;
    int height = 2 * MARGIN + ROWS * ROW_HEIGHT;
    double whole = lines.getLast().at().plus(STILL).toMillis();
    StringBuilder svg =
        new StringBuilder(
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$.0f %2$d" width="%1$.0f" height="%2$d" role="img">
            <title>The demo: captures finish, webhooks are verified, and an endpoint that fails gets what it refused</title>
            <style>
            text { font: 13px/1 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d7dee8; white-space: pre }
            .bad { fill: #ff9b92 } .good { fill: #7fd6a2 } .typed { fill: #ffffff; font-weight: 600 }
            #lines { animation: scroll %3$.1fs infinite step-end }
            """
                .formatted(width, height, whole / 1_000));
    for (int i = 1; i < lines.size(); i++) {
      double shown = 100 * lines.get(i).at().toMillis() / whole;
      svg.append(
          String.format(
              Locale.ROOT,
              "@keyframes l%1$d { 0%% { opacity: 0 } %2$.2f%% { opacity: 1 } } #l%1$d { animation: l%1$d %3$.1fs infinite step-end }%n",
              i,
              shown,
              whole / 1_000));
    }
    svg.append("@keyframes scroll { 0% { transform: translateY(0) }");
    for (int i = ROWS; i < lines.size(); i++) {
      svg.append(
          String.format(
              Locale.ROOT,
              " %.2f%% { transform: translateY(%dpx) }",
              100 * lines.get(i).at().toMillis() / whole,
              (ROWS - 1 - i) * ROW_HEIGHT));
    }
    svg.append(
        """
         }
        @media (prefers-reduced-motion: reduce) { text { animation: none !important } #lines { animation: none; transform: translateY(%dpx) } }
        </style>
        <clipPath id="screen"><rect x="0" y="%d" width="%.0f" height="%d"/></clipPath>
        <rect width="100%%" height="100%%" rx="8" fill="#12161c"/>
        <g clip-path="url(#screen)"><g id="lines">
        """
            .formatted(
                Math.min(0, ROWS - lines.size()) * ROW_HEIGHT, MARGIN / 2, width, height - MARGIN));
    for (int i = 0; i < lines.size(); i++) {
      String text = cut(lines.get(i).text());
      svg.append(
          "<text id=\"l%d\" x=\"%d\" y=\"%d\"%s>%s</text>%n"
              .formatted(
                  i,
                  MARGIN,
                  MARGIN + 13 + i * ROW_HEIGHT,
                  color(i, text),
                  text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")));
    }
    return svg.append("</g></g>\n</svg>\n").toString();
  }

  private static String color(int index, String text) {
    if (index == 0) {
      return " class=\"typed\"";
    }
    if (!ROW.matcher(text).matches()) {
      return "";
    }
    return text.contains("  503 ")
        ? " class=\"bad\""
        : text.contains("  200 ") ? " class=\"good\"" : "";
  }
}
