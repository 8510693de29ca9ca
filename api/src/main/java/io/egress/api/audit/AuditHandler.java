package io.egress.api.audit;

import static java.util.Objects.requireNonNull;

import io.egress.api.intake.QueryValues;
import io.egress.document.UtcInstant;
import io.egress.http.ClientGoneException;
import io.egress.http.HttpExchange;
import io.egress.http.RequestLifetime;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.MIMEHeader;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Lists the audit log in pages, or exports it as NDJSON. */
public final class AuditHandler {
  private static final int LIMIT_DEFAULT = 50;
  private static final int EXPORT_LIMIT_MAX = 999_999_999;
  private static final int EXPORT_PAGE = 500;

  private final AuditEntries audit;

  public AuditHandler(AuditEntries audit) {
    this.audit = requireNonNull(audit, "audit is null");
  }

  /** Entries of one workspace. */
  public Future<Void> list(RoutingContext exchange, UUID workspaceId) {
    return answer(exchange, workspaceId);
  }

  /** Entries of all workspaces, and those without a workspace. */
  public void listAll(RoutingContext exchange) {
    Future.<Void>succeededFuture()
        .compose(begun -> answer(exchange, null))
        .onFailure(failure -> HttpExchange.fail(exchange, failure));
  }

  private Future<Void> answer(RoutingContext exchange, @Nullable UUID workspaceId) {
    if (wantsLines(exchange)) {
      AuditQuestion question =
          AuditQuestion.from(workspaceId, exchange.queryParams(), EXPORT_LIMIT_MAX);
      Integer limit = question.limit();
      return export(exchange, question, limit == null ? EXPORT_LIMIT_MAX : limit);
    }
    AuditQuestion question =
        AuditQuestion.from(workspaceId, exchange.queryParams(), QueryValues.LIMIT_MAX);
    Integer limit = question.limit();
    return audit
        .page(question, limit == null ? LIMIT_DEFAULT : limit)
        .map(
            page -> {
              JsonArray shown = new JsonArray();
              page.entries().forEach(entry -> shown.add(json(entry)));
              AuditPlace next = page.next();
              JsonObject pageInfo =
                  new JsonObject()
                      .put("hasNextPage", next != null)
                      .put("endCursor", next == null ? null : next.encode());
              HttpExchange.sendJson(
                  exchange, 200, new JsonObject().put("entries", shown).put("pageInfo", pageInfo));
              return null;
            });
  }

  private static boolean wantsLines(RoutingContext exchange) {
    for (MIMEHeader accepted : exchange.parsedHeaders().accept()) {
      if (accepted.component().equals("application")
          && accepted.subComponent().equals("x-ndjson")
          && accepted.weight() > 0) {
        return true;
      }
    }
    return false;
  }

  /** Reads a page once the previous one has been written to the client. */
  private Future<Void> export(RoutingContext exchange, AuditQuestion question, int most) {
    Future<Void> cutShort = RequestLifetime.of(exchange).cutShort();
    return audit
        .page(question, Math.min(most, EXPORT_PAGE))
        .compose(
            page -> {
              if (cutShort.failed()) {
                return Future.failedFuture(cutShort.cause());
              }
              HttpServerResponse response = exchange.response();
              if (!response.headWritten()) {
                response.putHeader(HttpHeaders.CONTENT_TYPE, "application/x-ndjson");
                response.setChunked(true);
              }
              AuditPlace next = page.next();
              int left = most - page.entries().size();
              boolean isLast =
                  next == null || left == 0 || exchange.request().method().equals(HttpMethod.HEAD);
              if (isLast || next == null) {
                return sent(exchange, response.end(lines(exchange, page)));
              }
              return sent(exchange, response.write(lines(exchange, page)))
                  .compose(written -> export(exchange, question.after(next), left));
            });
  }

  private static Buffer lines(RoutingContext exchange, AuditEntries.Page page) {
    Buffer lines = Buffer.buffer();
    if (!exchange.request().method().equals(HttpMethod.HEAD)) {
      page.entries()
          .forEach(entry -> lines.appendBuffer(json(entry).toBuffer()).appendByte((byte) '\n'));
    }
    return lines;
  }

  /** A connection failure here is the client's, not a backend's. */
  private static Future<Void> sent(RoutingContext exchange, Future<Void> writing) {
    RequestLifetime lifetime = RequestLifetime.of(exchange);
    lifetime.awaitClient();
    return writing
        .onComplete(read -> lifetime.resume())
        .recover(lost -> Future.failedFuture(new ClientGoneException("the client disconnected")));
  }

  private static JsonObject json(AuditEntry entry) {
    return new JsonObject()
        .put("id", entry.id())
        .put("at", UtcInstant.format(entry.at()))
        .put("workspace_id", text(entry.workspaceId()))
        .put("action", entry.action())
        .put("kind", entry.kind())
        .put("thing_id", text(entry.thingId()))
        .put("actor", entry.actor())
        .put("via", entry.via())
        .put("remote_address", entry.remoteAddress())
        .put("request_id", entry.requestId())
        .put("changes", entry.changes());
  }

  private static @Nullable String text(@Nullable UUID id) {
    return id == null ? null : id.toString();
  }
}
