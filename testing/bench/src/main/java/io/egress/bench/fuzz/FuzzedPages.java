package io.egress.bench.fuzz;

import io.egress.bench.fuzz.Request.Header;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Valid requests to the pages of a workspace or of an operator, in one session. */
final class FuzzedPages {
  private static final Pattern CSRF = Pattern.compile("name=\"csrf\" value=\"([^\"]+)\"");
  private static final String FORM = "application/x-www-form-urlencoded";

  private final HttpClient http = HttpClient.newHttpClient();
  private final String origin;
  private final String root;
  private final String cookie;
  private final String csrf;

  /** {@code link} opens the session, whose pages are below {@code place}. */
  FuzzedPages(int port, String place, String link) throws IOException, InterruptedException {
    this.origin = "http://127.0.0.1:" + port;
    this.root = "/portal/" + place;
    String token = link.substring(link.indexOf("token=") + "token=".length());
    HttpResponse<String> opened =
        http.send(
            HttpRequest.newBuilder(URI.create(origin + "/portal/open"))
                .header("content-type", FORM)
                .POST(BodyPublishers.ofString("token=" + token))
                .build(),
            BodyHandlers.ofString());
    this.cookie = opened.headers().firstValue("set-cookie").orElseThrow().replaceFirst(";.*", "");
    HttpResponse<String> page =
        http.send(
            HttpRequest.newBuilder(URI.create(origin + root + "/"))
                .header("cookie", cookie)
                .build(),
            BodyHandlers.ofString());
    Matcher found = CSRF.matcher(page.body());
    if (!found.find()) {
      throw new IllegalStateException("no page: " + page.statusCode() + " " + page.body());
    }
    this.csrf = found.group(1);
  }

  List<Request> requests(String endpointId, String keyId) {
    List<Request> requests = new ArrayList<>();
    String endpoint = "/endpoints/" + endpointId;
    for (String page :
        List.of(
            "/",
            "/live/overview",
            "/keys",
            "/keys/" + keyId + "/delete",
            "/endpoints",
            endpoint,
            endpoint + "/rotate",
            endpoint + "/delete",
            endpoint + "/replay",
            "/deliveries?state=pending&endpoint=" + endpointId,
            "/live/deliveries",
            "/deliveries/" + endpointId,
            "/captures/" + endpointId,
            "/captures/" + endpointId + "/erase",
            "/replays",
            "/live/replays",
            "/replays/" + endpointId,
            "/audit?after=x")) {
      requests.add(request("GET", root + page, ""));
    }
    requests.add(request("GET", "/portal/open?token=x", ""));
    requests.add(request("POST", "/portal/open", "token=x"));
    requests.add(form("/keys", Map.of("name", "fuzz", "expires_in", "30d")));
    requests.add(form("/keys/" + keyId + "/delete", Map.of()));
    requests.add(form("/endpoints", Map.of("url", "https://a.invalid/x", "description", "d")));
    requests.add(form(endpoint + "/change", Map.of("url", "https://b.invalid", "description", "")));
    requests.add(form(endpoint + "/headers", Map.of("header_name", "x-fuzz", "header_value", "v")));
    requests.add(form(endpoint + "/certificate", Map.of("certificate", "v", "key", "v")));
    requests.add(form(endpoint + "/pause", Map.of()));
    requests.add(form(endpoint + "/resume", Map.of()));
    requests.add(form(endpoint + "/rotate", Map.of("overlap", "1h")));
    requests.add(form(endpoint + "/end-overlap", Map.of()));
    requests.add(form(endpoint + "/replay", Map.of("what", "undelivered", "from", "")));
    requests.add(form("/deliveries/" + endpointId + "/redeliver", Map.of()));
    requests.add(form("/captures/" + endpointId + "/erase", Map.of("reason", "fuzz")));
    requests.add(form("/replays/" + endpointId + "/cancel", Map.of()));
    return requests;
  }

  /** In the session of an operator. */
  List<Request> ofOperator(String workspaceId) {
    List<Request> requests = new ArrayList<>();
    for (String page :
        List.of(
            "/",
            "/?search=a&after=others." + workspaceId,
            "/captures",
            "/captures?id=" + workspaceId,
            "/" + workspaceId + "/",
            "/" + workspaceId + "/captures/" + workspaceId)) {
      requests.add(request("GET", root + page, ""));
    }
    requests.add(form("/" + workspaceId + "/keys", Map.of("name", "fuzz")));
    return requests;
  }

  private Request form(String path, Map<String, String> fields) {
    Map<String, String> all = new TreeMap<>(fields);
    all.put("csrf", csrf);
    return request(
        "POST",
        root + path,
        all.entrySet().stream()
            .map(field -> field.getKey() + "=" + encoded(field.getValue()))
            .collect(Collectors.joining("&")));
  }

  private Request request(String method, String target, String body) {
    List<Header> headers = new ArrayList<>();
    headers.add(new Header("host", "127.0.0.1"));
    headers.add(new Header("cookie", cookie));
    headers.add(new Header("sec-fetch-site", "same-origin"));
    if (!body.isEmpty()) {
      headers.add(new Header("content-type", FORM));
    }
    return new Request(method, target, headers, body);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
