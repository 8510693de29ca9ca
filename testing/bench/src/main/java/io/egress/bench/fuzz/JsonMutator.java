package io.egress.bench.fuzz;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** Replaces values in a JSON text; the rest remains valid. */
final class JsonMutator {
  private static final List<String> EDGES =
      List.of(
          "null",
          "true",
          "0",
          "-1",
          "-0",
          "1.5",
          "0.1e1",
          "1e400",
          "-1e400",
          "1e-400",
          "1e999999999",
          "2147483648",
          "9007199254740993",
          "9223372036854775807",
          "9223372036854775808",
          "-9223372036854775809",
          "9".repeat(3_000),
          "0." + "3".repeat(3_000),
          "01",
          "NaN",
          "Infinity",
          "\"\"",
          "\" \"",
          "\"\\u0000\"",
          "\"\\ud800\"",
          "\"\\udc00\\ud800\"",
          "\"\\ud83d\\ude00\"",
          "\"\\u202e\\ufeff\\uffff\"",
          "\"\u0000\"",
          "\"\u00ff\u00fe\"",
          "\"\u00c0\u0080\"",
          "\"\u00ed\u00a0\u0080\"",
          "\"\u00f4\u0090\u0080\u0080\"",
          "\"\\x\"",
          "\"" + "x".repeat(20_000) + "\"",
          "[]",
          "{}",
          "[[]]",
          "[null]",
          "{\"a\":{}}",
          "\"00000000-0000-0000-0000-000000000000\"",
          "\"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF\"",
          "\"0-0-0-0-0\"",
          "\"0000-01-01T00:00:00Z\"",
          "\"-4713-01-01T00:00:00Z\"",
          "\"9999-12-31T23:59:59.999999999Z\"",
          "\"2016-12-31T23:59:60Z\"",
          "\"2026-02-30T00:00:00Z\"",
          "\"+294277-01-01T00:00:00Z\"",
          "\"2026-01-01T00:00:00+18:01\"",
          "\"0001-01-01T00:00:00+18:00\"",
          "\"9999-12-31T23:59:59-18:00\"",
          "\"https://[::1]/\"",
          "\"https://receiver.invalid:0/\"",
          "\"https://receiver.invalid:65536/\"",
          "\"https://a@receiver.invalid/\\u0000\"",
          "\"https://xn--\\u00e9.invalid/\"",
          "\"https://" + "a".repeat(300) + ".invalid/\"");

  private record Span(int from, int to) {}

  private final Random random;

  JsonMutator(Random random) {
    this.random = random;
  }

  String mutate(String json) {
    List<Span> values = values(json);
    if (values.isEmpty()) {
      return json;
    }
    Span one = values.get(random.nextInt(values.size()));
    Span other = values.get(random.nextInt(values.size()));
    String text = json.substring(one.from, one.to);
    String replacement =
        switch (random.nextInt(12)) {
          case 0 -> "";
          case 1 -> text + "," + text;
          case 2 -> json.substring(other.from, other.to);
          case 3 -> nested();
          case 4 -> "\"" + UUID.randomUUID() + "\"";
          case 5 -> "[" + text + "]";
          default -> EDGES.get(random.nextInt(EDGES.size()));
        };
    return json.substring(0, one.from) + replacement + json.substring(one.to);
  }

  private String nested() {
    int depth = 1 << random.nextInt(16);
    String open = random.nextBoolean() ? "[" : "{\"a\":";
    String close = open.equals("[") ? "]" : "}";
    return open.repeat(depth) + "1" + (random.nextInt(4) == 0 ? "" : close.repeat(depth));
  }

  /** Matches strings (including keys), numbers, literals, objects and arrays. */
  private static List<Span> values(String json) {
    List<Span> values = new ArrayList<>();
    Deque<Integer> open = new ArrayDeque<>();
    int at = 0;
    while (at < json.length()) {
      char c = json.charAt(at);
      int from = at++;
      if (c == '"') {
        while (at < json.length() && json.charAt(at) != '"') {
          at += json.charAt(at) == '\\' ? 2 : 1;
        }
        at = Math.min(at + 1, json.length());
        values.add(new Span(from, at));
      } else if (c == '{' || c == '[') {
        open.push(from);
      } else if ((c == '}' || c == ']') && !open.isEmpty()) {
        values.add(new Span(open.pop(), at));
      } else if (Character.isLetterOrDigit(c) || c == '-') {
        while (at < json.length() && ",]} \n".indexOf(json.charAt(at)) < 0) {
          at++;
        }
        values.add(new Span(from, at));
      }
    }
    return values;
  }
}
