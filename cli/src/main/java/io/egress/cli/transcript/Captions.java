package io.egress.cli.transcript;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * WebVTT and SubRip. A voice tag names the speaker, as in the files of Teams; so does a name before
 * a colon, as in those of Zoom, in a file in which most cues begin with one.
 */
final class Captions {
  private static final Pattern TIMES =
      Pattern.compile("(?:(\\d+):)?(\\d{1,2}):(\\d{2})[.,](\\d{1,3})");

  private static final Pattern VOICE = Pattern.compile("<v(?:\\.[^\\s>]*)?\\s+([^>]+)>");
  private static final Pattern TAG = Pattern.compile("<[^>]*>|\\{\\\\[^}]*}");
  private static final Pattern NAME = Pattern.compile("(\\p{L}[^:<>?!]{0,79}?)\\s*:\\s+(.*)");

  private record Cue(long startMs, long endMs, @Nullable String voice, String text) {}

  private final List<Cue> cues = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private final boolean isWebVtt;
  private final String[] lines;

  private Captions(String text) {
    this.isWebVtt = text.startsWith("WEBVTT");
    this.lines = text.split("\\R", -1);
  }

  static Transcript read(String text) {
    Captions captions = new Captions(text);
    if (!captions.isWebVtt && !text.contains("-->")) {
      throw new UnreadableTranscript("it is neither WebVTT nor SubRip nor JSON");
    }
    captions.readBlocks();
    return new Transcript(
        captions.isWebVtt ? "WebVTT" : "SubRip",
        captions.utterances(),
        null,
        null,
        captions.problems);
  }

  private void readBlocks() {
    int line = isWebVtt ? afterBlock(0) : 0;
    while (line < lines.length) {
      if (lines[line].isBlank()) {
        line++;
        continue;
      }
      int end = afterBlock(line);
      readBlock(line, end);
      line = end;
    }
  }

  /** The index of the line after the block that begins at {@code line}. */
  private int afterBlock(int line) {
    int end = line;
    while (end < lines.length && !lines[end].isBlank()) {
      end++;
    }
    return end;
  }

  private void readBlock(int begin, int end) {
    int times = begin;
    while (times < end && !lines[times].contains("-->")) {
      times++;
    }
    if (times == end) {
      if (!isNote(lines[begin])) {
        problems.add("line " + (begin + 1) + ": no times");
      }
      return;
    }
    List<MatchResult> found = TIMES.matcher(lines[times]).results().toList();
    if (found.size() < 2) {
      problems.add("line " + (times + 1) + ": times such as 00:01.000 --> 00:02.000 are expected");
      return;
    }
    long startMs = millis(found.get(0));
    long endMs = millis(found.get(1));
    if (endMs < startMs) {
      problems.add("line " + (times + 1) + ": it ends before it starts");
      return;
    }
    readText(times + 1, end, startMs, endMs);
  }

  private boolean isNote(String line) {
    return isWebVtt && line.matches("(NOTE|STYLE|REGION)\\b.*");
  }

  /** A cue may have several voices. */
  private void readText(int begin, int end, long startMs, long endMs) {
    String voice = null;
    StringBuilder text = new StringBuilder();
    for (int line = begin; line < end; line++) {
      Matcher voices = VOICE.matcher(lines[line]);
      int read = 0;
      while (voices.find()) {
        text.append(lines[line], read, voices.start());
        add(startMs, endMs, voice, text);
        voice = Texts.inOneLine(unescaped(voices.group(1)));
        read = voices.end();
      }
      text.append(lines[line], read, lines[line].length()).append('\n');
    }
    add(startMs, endMs, voice, text);
  }

  private void add(long startMs, long endMs, @Nullable String voice, StringBuilder text) {
    String said = Texts.inOneLine(unescaped(TAG.matcher(text).replaceAll("")));
    text.setLength(0);
    if (!said.isEmpty()) {
      cues.add(new Cue(startMs, endMs, voice, said));
    }
  }

  private List<Utterance> utterances() {
    long named = cues.stream().filter(cue -> NAME.matcher(cue.text()).matches()).count();
    boolean areNamed =
        cues.stream().allMatch(cue -> cue.voice() == null) && named * 2 > cues.size();
    return cues.stream()
        .map(cue -> areNamed ? named(cue) : spoken(cue, cue.voice(), cue.text()))
        .toList();
  }

  private static Utterance named(Cue cue) {
    Matcher name = NAME.matcher(cue.text());
    return name.matches() && !name.group(2).isBlank()
        ? spoken(cue, name.group(1), name.group(2))
        : spoken(cue, null, cue.text());
  }

  private static Utterance spoken(Cue cue, @Nullable String speaker, String text) {
    return new Utterance(cue.startMs(), cue.endMs(), speaker, text);
  }

  private static long millis(MatchResult time) {
    String hours = time.group(1);
    long seconds =
        (hours == null ? 0 : Long.parseLong(hours)) * 3600
            + Long.parseLong(time.group(2)) * 60
            + Long.parseLong(time.group(3));
    return seconds * 1000 + Long.parseLong((time.group(4) + "00").substring(0, 3));
  }

  private static String unescaped(String text) {
    return text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&nbsp;", " ")
        .replace("&lrm;", "\u200e")
        .replace("&rlm;", "\u200f")
        .replace("&amp;", "&");
  }
}
