package io.egress.bench.load;

import io.egress.platform.lifecycle.RunningProcess;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The statements that PostgreSQL executes in a while, from its log. Its user is a superuser. */
final class LoggedStatements {
  private static final Pattern TIMED =
      Pattern.compile(
          "duration: ([0-9.]+) ms(?:  (?:(parse|bind|execute) [^:]*|statement): (.*))?");

  private static final String READ =
      "select pg_read_file(pg_current_logfile(), $1, $2, true) as part";
  private static final int PART = 8 << 20;
  private static final int TEXT_MAX = 90;

  private static final List<String> ON =
      List.of(
          "alter system set log_min_duration_statement = 0",
          "alter system set log_parameter_max_length = 0");

  private static final List<String> OFF =
      List.of(
          "alter system reset log_min_duration_statement",
          "alter system reset log_parameter_max_length");

  /** All executions of a statement. */
  static final class Executed {
    private final String text;
    private int count;
    private double millis;

    private Executed(String text) {
      this.text = text;
    }

    /** Its beginning. */
    String text() {
      return text;
    }

    int count() {
      return count;
    }

    /** To parse, plan and execute it. */
    double millis() {
      return millis;
    }
  }

  private final Pool pool;
  private final long offset;

  private LoggedStatements(Pool pool) {
    this.pool = pool;
    this.offset = length();
    set(ON);
  }

  static LoggedStatements begin(Pool pool) {
    return new LoggedStatements(pool);
  }

  /** The most expensive first. */
  List<Executed> end() {
    set(OFF);
    List<Executed> all = new ArrayList<>(of(logged()));
    all.sort(Comparator.comparingDouble(Executed::millis).reversed());
    return all;
  }

  private void set(List<String> statements) {
    statements.forEach(this::query);
    query("select pg_reload_conf()");
  }

  private void query(String sql) {
    RunningProcess.await(pool.query(sql).execute());
  }

  private long length() {
    return RunningProcess.await(
            pool.query("select size from pg_stat_file(pg_current_logfile())").execute())
        .iterator()
        .next()
        .getLong(0);
  }

  private String logged() {
    StringBuilder text = new StringBuilder();
    long end = length();
    for (long from = offset; from < end; from += PART) {
      text.append(
          RunningProcess.await(
                  pool.preparedQuery(READ).execute(Tuple.of(from, Math.min(PART, end - from))))
              .iterator()
              .next()
              .getString(0));
    }
    return text.toString();
  }

  /** Further lines of a statement begin with a tab. */
  static List<Executed> of(String log) {
    Map<String, Executed> byText = new HashMap<>();
    for (String entry : log.replaceAll("\\s*\n\t[ \t]*", " ").lines().toList()) {
      Matcher timed = TIMED.matcher(entry);
      if (timed.find() && timed.group(3) != null) {
        String text = timed.group(3).replaceAll("\\s+", " ").strip();
        String begin = text.length() > TEXT_MAX ? text.substring(0, TEXT_MAX) : text;
        Executed executed = byText.computeIfAbsent(begin, Executed::new);
        executed.millis += Double.parseDouble(timed.group(1));
        executed.count += "parse".equals(timed.group(2)) || "bind".equals(timed.group(2)) ? 0 : 1;
      }
    }
    return List.copyOf(byText.values());
  }
}
