package io.egress.api.admin.audit;

import io.egress.api.call.Answer;
import io.egress.api.call.HeavyWork;
import io.egress.platform.json.Json;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Sends all entries that match, page by page, as the client reads them. */
public final class AuditExport {
  /** The most entries of an export. */
  public static final int ENTRIES_MAX = 999_999_999;

  /** A slow client holds a page. */
  private static final int PAGE = 100;

  private static final List<String> COLUMNS =
      List.of(
          "at",
          "actor",
          "via",
          "remote_address",
          "action",
          "kind",
          "thing_id",
          "changes",
          "workspace_id",
          "request_id",
          "id");

  /** Programs for tables take a cell that begins so for a formula. */
  private static final Pattern FORMULA = Pattern.compile("^[=+@\\-\t\r].*", Pattern.DOTALL);

  private static final Pattern NEEDS_QUOTES = Pattern.compile(".*[\",\r\n].*", Pattern.DOTALL);

  /** How entries are written. */
  public enum Form {
    NDJSON("application/x-ndjson", "ndjson"),
    CSV("text/csv; charset=utf-8", "csv");

    private final String type;
    private final String word;

    Form(String type, String word) {
      this.type = type;
      this.word = word;
    }

    /** Also the ending of a file's name. */
    public String word() {
      return word;
    }

    public static Optional<Form> find(String word) {
      return Arrays.stream(values()).filter(form -> form.word.equals(word)).findFirst();
    }
  }

  private final AuditEntries audit;
  private final HeavyWork heavy;

  public AuditExport(AuditEntries audit, HeavyWork heavy) {
    this.audit = audit;
    this.heavy = heavy;
  }

  public Answer answer(AuditFilter filter, Form form) {
    Integer limit = filter.limit();
    return Answer.streamed(
        form.type,
        sink ->
            heavy.of(
                filter.workspaceId(),
                () -> write(sink, filter, form, limit == null ? ENTRIES_MAX : limit)));
  }

  /** Reads a page once the previous one has been written to the client. */
  private void write(Answer.Sink sink, AuditFilter filter, Form form, int max) {
    Buffer lines = Buffer.buffer(form == Form.CSV ? String.join(",", COLUMNS) + "\r\n" : "");
    int left = max;
    AuditFilter rest = filter;
    while (true) {
      AuditEntries.Page page = audit.page(rest, Math.min(left, PAGE));
      for (AuditEntry entry : page.entries()) {
        lines.appendBuffer(line(entry, form));
      }
      sink.write(lines);
      left -= page.entries().size();
      AuditCursor next = page.next();
      if (next == null || left == 0) {
        return;
      }
      rest = filter.after(next);
      lines = Buffer.buffer();
    }
  }

  private static Buffer line(AuditEntry entry, Form form) {
    JsonObject json = Json.object(entry);
    return form == Form.NDJSON
        ? json.toBuffer().appendByte((byte) '\n')
        : Buffer.buffer(
            COLUMNS.stream()
                .map(column -> cell(json.getValue(column)))
                .collect(Collectors.joining(",", "", "\r\n")));
  }

  private static String cell(@Nullable Object value) {
    String text = value == null ? "" : value.toString();
    String harmless = FORMULA.matcher(text).matches() ? "'" + text : text;
    return NEEDS_QUOTES.matcher(harmless).matches()
        ? '"' + harmless.replace("\"", "\"\"") + '"'
        : harmless;
  }
}
