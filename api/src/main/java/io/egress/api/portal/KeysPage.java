package io.egress.api.portal;

import io.egress.api.admin.keys.ApiKeys;
import io.egress.api.intake.GivenBody;
import io.egress.api.intake.KeyBody;
import io.egress.api.portal.access.PortalAccess;
import io.egress.api.portal.access.PortalForm;
import io.egress.api.portal.access.PortalSession;
import io.egress.api.portal.view.Confirmation;
import io.egress.api.portal.view.FormProblem;
import io.egress.api.portal.view.Frame;
import io.egress.api.portal.view.ShownSecret;
import io.egress.platform.audit.Caller;
import io.egress.platform.http.Refusal;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The API keys of a workspace. */
final class KeysPage {
  private static final String TITLE = "API keys";
  private static final String PLACE = "keys";

  private final PageRenderer pages;
  private final ApiKeys keys;
  private final Clock clock;

  /** What the page shows besides the list. */
  private record Shown(int status, @Nullable ShownSecret secret, @Nullable FormProblem problem) {
    static final Shown NOTHING = new Shown(200, null, null);
  }

  KeysPage(PageRenderer pages, ApiKeys keys, Clock clock) {
    this.pages = pages;
    this.keys = keys;
    this.clock = clock;
  }

  Future<Void> list(RoutingContext ctx, PortalSession session) {
    return send(ctx, session, Shown.NOTHING);
  }

  Future<Void> mint(RoutingContext ctx, PortalSession session, PortalForm form) {
    JsonObject body = new JsonObject().put("name", form.text("name"));
    if (!form.text("expires_in").isEmpty()) {
      body.put("expires_in", form.text("expires_in"));
    }
    return Forms.orExplain(
        form,
        () ->
            keys.mint(
                    Caller.ofPage(ctx, session.actor()),
                    session.workspaceId(),
                    Forms.accepted(KeyBody.read(GivenBody.of(body))))
                .compose(minted ->
                    send(
                        ctx,
                        session,
                        new Shown(
                            201,
                            new ShownSecret(
                                "Key “" + minted.key().name() + "” created",
                                minted.token().token(),
                                "Copy it now: it is shown only once. Clients send it as"
                                    + " Authorization: Bearer, followed by the key.",
                                null),
                            null))),
        (status, problem) -> send(ctx, session, new Shown(status, null, problem)));
  }

  /** Shows the form for changing when a key expires. */
  Future<Void> askExpiry(RoutingContext ctx, PortalSession session) {
    return sendExpiry(ctx, session, 200, null);
  }

  Future<Void> changeExpiry(RoutingContext ctx, PortalSession session, PortalForm form) {
    JsonObject body = new JsonObject().put("extend", form.isChecked("extend"));
    switch (form.text("expires_in")) {
      case "never" -> body.putNull("expires_at");
      case "" -> body.put("expires_at", LocalTimes.instant(form.text("expires_at")));
      default -> body.put("expires_in", form.text("expires_in"));
    }
    return Forms.orExplain(
        form,
        () ->
            keys.changeExpiry(
                    Caller.ofPage(ctx, session.actor()),
                    session.workspaceId(),
                    PathId.of(ctx),
                    Forms.accepted(KeyBody.expiry(GivenBody.of(body))))
                .compose(_ ->
                    PortalAccess.seeOther(ctx, pages.base(session) + "/keys?done=key-changed")),
        (status, problem) -> sendExpiry(ctx, session, status, problem));
  }

  private Future<Void> sendExpiry(
      RoutingContext ctx, PortalSession session, int status, @Nullable FormProblem problem) {
    return key(session, PathId.of(ctx))
        .map(key ->
            pages.send(
                ctx,
                status,
                "key-expiry",
                Map.of(
                    "frame",
                    pages
                        .frame(ctx, session, "Change when a key expires", PLACE)
                        .withProblem(problem),
                    "key",
                    key)));
  }

  private Future<ApiKeys.Listed> key(PortalSession session, UUID id) {
    return keys.list(session.workspaceId())
        .map(all ->
            all.stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new Refusal(404, "There is no such key.")));
  }

  Future<Void> confirmDeletion(RoutingContext ctx, PortalSession session) {
    UUID id = PathId.of(ctx);
    return key(session, id)
        .map(key -> {
          Frame frame = pages.frame(ctx, session, "Delete an API key", PLACE);
          String path = frame.base() + "/keys";
          return pages.confirm(
              ctx,
              frame,
              new Confirmation(
                  "Delete the key “%s”, which ends with %s? Requests with it are rejected immediately. This cannot be undone."
                      .formatted(key.name(), key.lastFour()),
                  path + "/" + id + "/delete",
                  "Delete key",
                  path));
        });
  }

  Future<Void> delete(RoutingContext ctx, PortalSession session, PortalForm form) {
    return keys.delete(Caller.ofPage(ctx, session.actor()), session.workspaceId(), PathId.of(ctx))
        .compose(_ -> PortalAccess.seeOther(ctx, pages.base(session) + "/keys?done=key-deleted"));
  }

  private Future<Void> send(RoutingContext ctx, PortalSession session, Shown shown) {
    return keys.list(session.workspaceId())
        .map(all -> {
          Map<String, Object> parameters = new HashMap<>();
          parameters.put(
              "frame", pages.frame(ctx, session, TITLE, PLACE).withProblem(shown.problem()));
          parameters.put("keys", all);
          parameters.put("secret", shown.secret());
          parameters.put("now", clock.instant());
          return pages.send(ctx, shown.status(), "keys", parameters);
        });
  }
}
