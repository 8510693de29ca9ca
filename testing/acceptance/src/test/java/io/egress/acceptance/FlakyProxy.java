package io.egress.acceptance;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A proxy with failures on demand. */
final class FlakyProxy implements AutoCloseable {
  enum Mood {
    FINE,
    /** 503 with Retry-After of a second. */
    AWAY,
    /** 429 without Retry-After. */
    BUSY,
    /** The page breaks off in its middle. */
    CUT,
    /** No answer for as long as the proxy runs. */
    SILENT
  }

  private final HttpClient http = HttpClient.newHttpClient();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final List<String> queries = new CopyOnWriteArrayList<>();
  private final List<String> paths = new CopyOnWriteArrayList<>();
  private final Queue<Mood> moods;
  private final Map<Integer, Runnable> before = new ConcurrentHashMap<>();
  private final URI target;
  private final HttpServer server;

  /** Each request meets the next mood; once they are used up, all is fine. */
  FlakyProxy(URI target, Mood... moods) throws IOException {
    this.target = target;
    this.moods = new ConcurrentLinkedQueue<>(List.of(moods));
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Of every request so far. */
  List<String> queries() {
    return queries;
  }

  /** Of every request so far. */
  List<String> paths() {
    return paths;
  }

  /** Runs it when the request of this number has come, before it is passed on. */
  void beforeRequest(int number, Runnable action) {
    before.put(number, action);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      paths.add(exchange.getRequestURI().getPath());
      queries.add(exchange.getRequestURI().getRawQuery());
      before.getOrDefault(queries.size(), () -> {}).run();
      Mood mood = moods.poll();
      switch (mood == null ? Mood.FINE : mood) {
        case FINE -> pass(exchange, false);
        case CUT -> pass(exchange, true);
        case AWAY -> {
          exchange.getResponseHeaders().set("Retry-After", "1");
          exchange.sendResponseHeaders(503, -1);
        }
        case BUSY -> exchange.sendResponseHeaders(429, -1);
        case SILENT -> closed.await();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void pass(HttpExchange exchange, boolean half) throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(target.resolve(exchange.getRequestURI()));
    for (String name : List.of("Authorization", "Accept", "Accept-Encoding")) {
      String value = exchange.getRequestHeaders().getFirst(name);
      if (value != null) {
        request.header(name, value);
      }
    }
    HttpResponse<byte[]> page = http.send(request.build(), BodyHandlers.ofByteArray());
    page.headers()
        .firstValue("Content-Encoding")
        .ifPresent(encoding -> exchange.getResponseHeaders().set("Content-Encoding", encoding));
    byte[] body = page.body();
    exchange.sendResponseHeaders(page.statusCode(), body.length);
    exchange.getResponseBody().write(body, 0, half ? body.length / 2 : body.length);
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
