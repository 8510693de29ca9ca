package io.egress.api.portal;

import io.egress.api.Service;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a browser sends: cookies by their paths, forms with what they hide, the site they are of.
 */
public final class Browser {
  private static final Pattern CSRF = Pattern.compile("name=\"csrf\" value=\"([^\"]+)\"");

  private final Service service;
  private final Map<String, String> cookies = new HashMap<>();

  public Browser(Service service) {
    this.service = service;
  }

  /** Asks the internal API for a link. */
  public static HttpResponse<String> link(
      Service service, UUID workspace, String role, @Nullable String actor) {
    return service.internal(
        "POST",
        "/internal/v1/workspaces/" + workspace + "/portal-links",
        new JsonObject().put("role", role).put("actor", actor));
  }

  public static String token(HttpResponse<String> link) {
    String url = new JsonObject(link.body()).getString("url");
    return url.substring(url.indexOf('#') + 1);
  }

  public static Browser at(Service service, UUID workspace, String role) {
    Browser browser = new Browser(service);
    browser.open(token(link(service, workspace, role, "ada")));
    return browser;
  }

  /** Asks the internal API for a link of an operator. */
  public static HttpResponse<String> operatorLink(Service service, @Nullable String actor) {
    return service.internal(
        "POST",
        "/internal/v1/portal-links",
        new JsonObject().put("role", "operator").put("actor", actor));
  }

  public static Browser ofOperator(Service service, String actor) {
    Browser browser = new Browser(service);
    browser.open(token(operatorLink(service, actor)));
    return browser;
  }

  public HttpResponse<String> open(String token) {
    return post("/portal/open", Map.of("token", token));
  }

  public HttpResponse<String> get(String path) {
    return send(request(path).GET());
  }

  /** A form of the page at {@code of}, with the token that stands there. */
  public HttpResponse<String> submit(String of, String path, Map<String, String> fields) {
    Map<String, String> all = new HashMap<>(fields);
    all.put("csrf", csrf(of));
    return post(path, all);
  }

  public String csrf(String of) {
    Matcher found = CSRF.matcher(get(of).body());
    return found.find() ? found.group(1) : "";
  }

  public HttpResponse<String> post(String path, Map<String, String> fields) {
    return post(path, fields, Map.of("sec-fetch-site", "same-origin"));
  }

  public HttpResponse<String> post(
      String path, Map<String, String> fields, Map<String, String> headers) {
    HttpRequest.Builder request =
        request(path)
            .header("content-type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(encoded(fields)));
    headers.forEach(request::header);
    return send(request);
  }

  /** With the cookie of this browser's session at {@code from}, where no browser would send it. */
  public Browser misusing(String from, String at) {
    Browser other = new Browser(service);
    other.cookies.put(at, cookies.get(from));
    return other;
  }

  /** As another process of the service would be asked. */
  public Browser with(Service other) {
    Browser same = new Browser(other);
    same.cookies.putAll(cookies);
    return same;
  }

  /** What it sends to a page. */
  public String cookie(String path) {
    return cookies.entrySet().stream()
        .filter(each -> path.equals(each.getKey()) || path.startsWith(each.getKey() + "/"))
        .map(Map.Entry::getValue)
        .collect(Collectors.joining("; "));
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(service.internalUrl(path)));
    String sent = cookie(path);
    return sent.isEmpty() ? request : request.header("cookie", sent);
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    HttpResponse<String> answer = Service.send(request);
    for (String set : answer.headers().allValues("set-cookie")) {
      String place = set.replaceFirst(".*; Path=([^;]+);.*", "$1");
      cookies.put(place, set.substring(0, set.indexOf(';')));
    }
    return answer;
  }

  private static String encoded(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(each ->
            URLEncoder.encode(each.getKey(), StandardCharsets.UTF_8)
                + "="
                + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
  }
}
