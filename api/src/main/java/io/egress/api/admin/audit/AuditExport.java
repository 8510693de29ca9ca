package io.egress.api.admin.audit;

import io.egress.platform.http.ClientGoneException;
import io.egress.platform.http.RequestLifetime;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
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

  private static final int PAGE = 500;
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

  public AuditExport(AuditEntries audit) {
    this.audit = audit;
  }

  /** Headers that were set before are kept. */
  public Future<Void> send(RoutingContext ctx, AuditFilter filter, Form form) {
    Integer limit = filter.limit();
    return send(ctx, filter, form, limit == null ? ENTRIES_MAX : limit);
  }

  /** Reads a page once the previous one has been written to the client. */
  private Future<Void> send(RoutingContext ctx, AuditFilter filter, Form form, int most) {
    Future<Void> cutShort = RequestLifetime.of(ctx).cutShort();
    return audit
        .page(filter, Math.min(most, PAGE))
        .compose(page -> {
          if (cutShort.failed()) {
            return Future.failedFuture(cutShort.cause());
          }
          HttpServerResponse response = ctx.response();
          Buffer lines = Buffer.buffer();
          if (!response.headWritten()) {
            response.putHeader(HttpHeaders.CONTENT_TYPE, form.type);
            response.setChunked(true);
            lines.appendString(form == Form.CSV ? String.join(",", COLUMNS) + "\r\n" : "");
          }
          page.entries().forEach(entry -> lines.appendBuffer(line(entry, form)));
          AuditCursor next = page.next();
          int left = most - page.entries().size();
          boolean isLast =
              next == null || left == 0 || ctx.request().method().equals(HttpMethod.HEAD);
          if (isLast || next == null) {
            return sent(ctx, end(ctx, lines));
          }
          return sent(ctx, response.write(lines))
              .compose(_ -> send(ctx, filter.after(next), form, left));
        });
  }

  private static Future<Void> end(RoutingContext ctx, Buffer lines) {
    return ctx.request().method().equals(HttpMethod.HEAD)
        ? ctx.response().end()
        : ctx.response().end(lines);
  }

  private static Buffer line(AuditEntry entry, Form form) {
    JsonObject json = AuditHandler.json(entry);
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

  /** A connection failure here is the client's, not a backend's. */
  private static Future<Void> sent(RoutingContext ctx, Future<Void> writing) {
    RequestLifetime lifetime = RequestLifetime.of(ctx);
    lifetime.awaitClient();
    return writing
        .onComplete(_ -> lifetime.resume())
        .recover(_ -> Future.failedFuture(new ClientGoneException("the client disconnected")));
  }
}
