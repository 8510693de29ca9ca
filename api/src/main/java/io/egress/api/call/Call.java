package io.egress.api.call;

import io.egress.api.intake.GivenBody;
import io.egress.platform.audit.Caller;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.Refusal;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A request that has arrived completely. */
public final class Call {
  private final RoutingContext ctx;
  private final Buffer body;

  Call(RoutingContext ctx, Buffer body) {
    this.ctx = ctx;
    this.body = body;
  }

  /** The id in the path's parameter {@code workspace}. */
  public UUID workspaceId() {
    return id("workspace", "workspace");
  }

  /** The id in the path's parameter {@code id}; {@code thing} is its name in error messages. */
  public UUID id(String thing) {
    return id("id", thing);
  }

  private UUID id(String parameter, String thing) {
    return pathId(parameter)
        .orElseThrow(() -> new Refusal(400, "the " + thing + " id must be a UUID"));
  }

  /** Empty if the path's parameter is not an id. */
  public Optional<UUID> pathId(String parameter) {
    return PathIds.uuid(ctx.pathParam(parameter));
  }

  public MultiMap query() {
    return ctx.queryParams();
  }

  /** The values of a header. */
  public List<String> headers(String name) {
    return ctx.request().headers().getAll(name);
  }

  /** Whether the request asks for this media type by name. */
  public boolean accepts(String type, String subtype) {
    return ctx.parsedHeaders().accept().stream()
        .anyMatch(accepted ->
            accepted.component().equals(type)
                && accepted.subComponent().equals(subtype)
                && accepted.weight() > 0);
  }

  public HttpServerRequest request() {
    return ctx.request();
  }

  /** Empty if the request has none. */
  public Buffer rawBody() {
    return body;
  }

  /** The fields of a request that must have a body. */
  public GivenBody body() {
    return GivenBody.of(body);
  }

  public GivenBody optionalBody() {
    return GivenBody.ofOptional(body);
  }

  /** Who calls the internal API. */
  public Caller caller() {
    return Caller.ofApi(ctx);
  }

  /** Who uses a page. */
  public Caller caller(@Nullable String actor) {
    return Caller.ofPage(ctx, actor);
  }
}
