package io.egress.bench.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.bench.fuzz.Request.Header;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Valid requests to the pages of a session: to every page that a page links to, and its forms. */
final class FuzzedPages {
  private static final Pattern LINK = Pattern.compile("(?:href|hx-get)=\"(/portal/[^\"#]+)\"");
  private static final Pattern FORM =
      Pattern.compile("(?s)<form[^>]*method=\"(\\w+)\" action=\"([^\"]+)\"[^>]*>(.*?)</form>");
  private static final Pattern FIELD =
      Pattern.compile("<(?:input|select|textarea)[^>]*?name=\"([^\"]+)\"[^>]*>");
  private static final Pattern VALUE = Pattern.compile(" value=\"([^\"]*)\"");
  private static final Map<String, String> DEFAULTS =
      Map.of(
          "url", "https://receiver.invalid/form",
          "overlap", "1h",
          "expires_in", "30d",
          "what", "undelivered",
          "state", "pending");
  private static final String FORM_TYPE = "application/x-www-form-urlencoded";
  private static final int PAGES_MAX = 60;

  private final HttpClient http = HttpClient.newHttpClient();
  private final String origin;
  private final String untouched;
  private final String cookie;
  private final List<Request> requests = new ArrayList<>();

  private FuzzedPages(int port, String link, String untouched)
      throws IOException, InterruptedException {
    this.origin = "http://127.0.0.1:" + port;
    this.untouched = untouched;
    String token = "token=" + link.substring(link.indexOf('#') + 1);
    HttpResponse<String> opened =
        http.send(
            HttpRequest.newBuilder(URI.create(origin + "/portal/open"))
                .header("content-type", FORM_TYPE)
                .POST(BodyPublishers.ofString(token))
                .build(),
            BodyHandlers.ofString());
    this.cookie = opened.headers().firstValue("set-cookie").orElseThrow().replaceFirst(";.*", "");
    requests.add(request("GET", "/portal/open?token=x", ""));
    requests.add(request("POST", "/portal/open", "token=x"));
    crawl(opened.headers().firstValue("location").orElseThrow());
  }

  /**
   * In the session that {@code link} opens, except for addresses that contain {@code untouched}.
   */
  static List<Request> requests(int port, String link, String untouched)
      throws IOException, InterruptedException {
    return new FuzzedPages(port, link, untouched).requests;
  }

  private void crawl(String home) throws IOException, InterruptedException {
    Deque<String> unread = new ArrayDeque<>(List.of(home));
    Set<String> seen = new HashSet<>(unread);
    for (int pages = 0; pages < PAGES_MAX && !unread.isEmpty(); pages++) {
      String path = unread.removeFirst();
      requests.add(request("GET", path, ""));
      String page =
          http.send(
                  HttpRequest.newBuilder(URI.create(origin).resolve(path))
                      .header("cookie", cookie)
                      .build(),
                  BodyHandlers.ofString())
              .body();
      FORM.matcher(page)
          .results()
          .forEach(form -> add(form.group(1), form.group(2), form.group(3)));
      Matcher link = LINK.matcher(page);
      while (link.find()) {
        String target = link.group(1).replace("&amp;", "&");
        if (!target.contains(untouched) && seen.add(target)) {
          unread.add(target);
        }
      }
    }
    if (requests.stream().noneMatch(request -> request.body().contains("csrf="))) {
      throw new IllegalStateException("no form below " + home);
    }
  }

  /** Not the form that closes the session. */
  private void add(String method, String action, String form) {
    if (action.endsWith("/leave")) {
      return;
    }
    StringJoiner fields = new StringJoiner("&");
    Matcher field = FIELD.matcher(form);
    while (field.find()) {
      Matcher value = VALUE.matcher(field.group());
      String filled =
          value.find() && !value.group(1).isEmpty()
              ? value.group(1)
              : DEFAULTS.getOrDefault(field.group(1), "fuzz");
      fields.add(field.group(1) + "=" + URLEncoder.encode(filled, UTF_8));
    }
    requests.add(
        method.equals("post")
            ? request("POST", action, fields.toString())
            : request("GET", action + "?" + fields, ""));
  }

  private Request request(String method, String target, String body) {
    List<Header> headers = new ArrayList<>();
    headers.add(new Header("host", "127.0.0.1"));
    headers.add(new Header("cookie", cookie));
    headers.add(new Header("sec-fetch-site", "same-origin"));
    if (!body.isEmpty()) {
      headers.add(new Header("content-type", FORM_TYPE));
    }
    return new Request(method, target, headers, body);
  }
}
