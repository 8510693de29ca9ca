package io.egress.api.portal.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.api.admin.workspaces.Workspaces;
import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.call.Calls;
import io.egress.platform.http.Refusal;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.security.MessageDigest;

/**
 * Checks the session of every request to a workspace's page. Pages read and change only data of
 * {@link PortalSession#workspaceId}, which is the workspace in the path.
 */
public abstract class PortalGuard {
  /** A page of a workspace. A {@link Refusal} that it throws becomes the answer. */
  public interface View {
    Answer show(Visit visit);
  }

  private final Calls calls;
  private final PortalAddress address;

  PortalGuard(Calls calls, PortalAddress address) {
    this.calls = calls;
    this.address = address;
  }

  /** Throws a {@link Refusal} if the request has no session that may see the page. */
  abstract PortalSession session(Call call, boolean isUse);

  final Calls calls() {
    return calls;
  }

  public final Handler<RoutingContext> view(View view) {
    return calls.answer(call -> view.show(new Visit(call, session(call, true), PortalForm.NONE)));
  }

  /** A page with nothing but a form, which sessions that change nothing do not get. */
  public final Handler<RoutingContext> form(View view) {
    return view(visit -> {
      requireChanger(visit);
      return view.show(visit);
    });
  }

  private static void requireChanger(Visit visit) {
    if (visit.session().end() != null) {
      throw Workspaces.ended();
    }
    if (!visit.session().mayChange()) {
      throw new Refusal(403, "This session is read-only.");
    }
  }

  /**
   * Authenticates polling, which does not count as use of the session. When there is nothing to see
   * any more, because the session has ended, for example, the whole page is reloaded to show that.
   */
  public final Handler<RoutingContext> poll(View view) {
    return reloading(
        calls.answer(call -> view.show(new Visit(call, session(call, false), PortalForm.NONE))));
  }

  static Handler<RoutingContext> reloading(Handler<RoutingContext> answer) {
    return ctx -> {
      ctx.addHeadersEndHandler(_ -> reloadRefused(ctx.response()));
      answer.handle(ctx);
    };
  }

  private static void reloadRefused(HttpServerResponse response) {
    if (response.getStatusCode() == 403 || response.getStatusCode() == 404) {
      response.putHeader("hx-refresh", "true");
    }
  }

  /** A form that changes something. */
  public final Handler<RoutingContext> changing(View change) {
    return submit(visit -> {
      requireChanger(visit);
      return change.show(visit);
    });
  }

  /** Authorizes changes that every role may make. */
  final Handler<RoutingContext> submit(View change) {
    return calls.withBody(call -> {
      PortalSession session = session(call, true);
      return change.show(new Visit(call, session, ownForm(call, session.csrfToken())));
    });
  }

  /** The form of a request, if the page itself sent it; throws {@link Refusal}. */
  final PortalForm ownForm(Call call, String csrfToken) {
    PortalForm form = PortalForm.of(call);
    requireOwnPage(call.request(), csrfToken, form);
    return form;
  }

  /**
   * Accepts only forms of the page itself. Without a referrer, browsers send {@code null} as the
   * origin of a plain form; {@code Sec-Fetch-Site}, which scripts cannot set, tells where it is
   * from.
   */
  private void requireOwnPage(HttpServerRequest request, String csrfToken, PortalForm form) {
    String site = request.getHeader("sec-fetch-site");
    boolean isOwn =
        site == null
            ? address.origin(request).equals(request.getHeader("origin"))
            : site.equals("same-origin");
    boolean hasToken =
        MessageDigest.isEqual(
            csrfToken.getBytes(UTF_8), form.text(PortalForm.CSRF_FIELD).getBytes(UTF_8));
    if (!isOwn || !hasToken) {
      throw new Refusal(
          403, "This form was not sent from this page. Reload the page and try again.");
    }
  }
}
