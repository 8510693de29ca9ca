package io.egress.bench.torture;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A workspace that does, as often as it can, whatever others could feel: a burst to receivers that
 * never answer, bodies that drip, exports that nobody reads, verifications, and pulls with invented
 * keys. How it is answered does not matter.
 */
final class HostileTenant {
  private static final int ENDPOINTS = 20;
  private static final int CAPTURES = 100;
  private static final int DRIPPING = 60;
  private static final int CALLERS = 4;
  private static final Duration ANSWER_MAX = Duration.ofSeconds(20);
  private static final long DRIP_MILLIS = 1_000;

  private final Tenant tenant;
  private final List<Role> apis;
  private final Random random;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();
  private final List<Socket> sockets = new ArrayList<>();
  private final List<Thread> callers = new ArrayList<>();
  private volatile boolean over;

  private HostileTenant(Tenant tenant, List<Role> apis, Random random) {
    this.tenant = tenant;
    this.apis = apis;
    this.random = random;
  }

  /** Returns when everything goes on at once. */
  static HostileTenant begin(Tenant tenant, List<Role> apis, Random random)
      throws InterruptedException {
    HostileTenant hostile = new HostileTenant(tenant, apis, random);
    Tenant.Endpoint any = tenant.addEndpoint(Receivers.Kind.HANGING, false);
    for (int i = 1; i < ENDPOINTS; i++) {
      tenant.addEndpoint(Receivers.Kind.HANGING, false);
    }
    hostile.drip();
    String verification = tenant.path(any) + "/verification";
    String audit = "/workspaces/" + tenant.id() + "/audit";
    for (int i = 0; i < CALLERS; i++) {
      hostile.repeat(api -> internal(api, verification).build());
      hostile.repeat(api -> internal(api, audit).header("accept", "application/x-ndjson").build());
      hostile.repeat(HostileTenant::pullOfAStranger);
    }
    for (int i = 0; i < CAPTURES; i++) {
      tenant.putCapture();
    }
    return hostile;
  }

  /** Half of them begin a body, the others an export; none goes on at more than a byte a second. */
  private void drip() {
    for (int i = 0; i < DRIPPING; i++) {
      String head =
          i % 2 == 0
              ? "PUT /internal/v1/captures/"
                  + UUID.randomUUID()
                  + " HTTP/1.1\r\ncontent-length: 60000\r\n"
              : "GET /internal/v1/workspaces/"
                  + tenant.id()
                  + "/audit HTTP/1.1\r\naccept: application/x-ndjson\r\n";
      try {
        Socket socket =
            new Socket(
                InetAddress.getLoopbackAddress(),
                Integer.parseInt(apis.get(i % apis.size()).setting(Clients.INTERNAL)));
        sockets.add(socket);
        write(socket, head + "host: a\r\nauthorization: Bearer " + Fleet.TOKEN + "\r\n\r\n");
      } catch (IOException refused) {
        // That is an answer, too.
      }
    }
    callers.add(
        Thread.ofVirtual()
            .start(() -> {
              while (!over && paused()) {
                for (int i = 0; i < sockets.size(); i += 2) {
                  try {
                    write(sockets.get(i), "x");
                  } catch (IOException ended) {
                    // The service has enough of it.
                  }
                }
              }
            }));
  }

  private static boolean paused() {
    try {
      TimeUnit.MILLISECONDS.sleep(DRIP_MILLIS);
      return true;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(US_ASCII));
  }

  private void repeat(Function<Role, HttpRequest> request) {
    int first = random.nextInt(apis.size());
    callers.add(
        Thread.ofVirtual()
            .start(() -> {
              for (int i = first; !over; i++) {
                try {
                  http.send(request.apply(apis.get(i % apis.size())), BodyHandlers.discarding());
                } catch (IOException noAnswer) {
                  // Nor does it matter.
                } catch (InterruptedException interrupted) {
                  Thread.currentThread().interrupt();
                  return;
                }
              }
            }));
  }

  private static HttpRequest.Builder internal(Role api, String path) {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + api.setting(Clients.INTERNAL) + "/internal/v1" + path))
        .timeout(ANSWER_MAX)
        .header("authorization", "Bearer " + Fleet.TOKEN);
  }

  private static HttpRequest pullOfAStranger(Role api) {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + api.setting(Clients.PUBLIC) + "/api/v1/captures"))
        .timeout(ANSWER_MAX)
        .header("authorization", "Bearer " + UUID.randomUUID())
        .build();
  }

  /** Returns when nothing of it goes on. */
  void end() throws InterruptedException {
    over = true;
    for (Thread caller : callers) {
      caller.join();
    }
    for (Socket socket : sockets) {
      try {
        socket.close();
      } catch (IOException closed) {
        // By the service.
      }
    }
    http.close();
    tenant.end();
  }
}
