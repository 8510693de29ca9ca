package io.egress.api.portal.access;

import io.egress.settings.PortalSettings;
import io.vertx.core.http.HttpServerRequest;
import java.net.URI;
import java.util.List;
import java.util.UUID;

/** The address of the settings page as browsers see it. */
public final class PortalAddress {
  /** Not the id of a workspace, so that the cookies of both kinds of sessions have other paths. */
  public static final String OPERATOR = "/operator";

  private final PortalSettings settings;

  public PortalAddress(PortalSettings settings) {
    this.settings = settings;
  }

  /** The path of the settings page, including the prefix that a proxy may add. */
  public String root() {
    return seen("/portal");
  }

  /** The path that a browser sees of one that a request has. */
  public String seen(String path) {
    URI url = settings.url();
    return (url == null ? "" : url.getRawPath()) + path;
  }

  /** The common prefix of a workspace's pages. */
  public String workspace(UUID workspaceId) {
    return root() + "/" + workspaceId;
  }

  /** The common prefix of the pages of operators. */
  public String operator() {
    return root() + OPERATOR;
  }

  /** The common prefix of the pages of the session's workspace, as the session sees them. */
  public String workspace(PortalSession session) {
    return session.isOperator()
        ? operator() + "/" + session.workspaceId()
        : workspace(session.workspaceId());
  }

  /** The origins that may embed the page; empty if embedding is disabled. */
  public List<String> ancestors() {
    return settings.ancestors();
  }

  /** Without a configured URL, the address of the listener that received the request. */
  String url(HttpServerRequest request) {
    URI url = settings.url();
    return url == null
        ? "http://127.0.0.1:" + request.connection().localAddress().port()
        : url.toString();
  }

  String origin(HttpServerRequest request) {
    URI url = settings.url();
    return url == null ? url(request) : url.getScheme() + "://" + url.getRawAuthority();
  }

  boolean isSecure() {
    URI url = settings.url();
    return url != null && url.getScheme().equals("https");
  }
}
