package io.egress.standalone.receiver;

import io.egress.standalone.receiver.WebhookReceiver.Answering;
import io.egress.standalone.receiver.WebhookReceiver.Arrival;
import io.egress.standalone.receiver.WebhookVerifier.Verdict;
import io.egress.standalone.receiver.WebhookVerifier.Verdict.Genuine;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** One URL of the receiver, and the deliveries it has seen. Used on one event loop. */
final class ReceivingEndpoint {
  private static final int REMEMBERED_DELIVERIES_MAX = 10_000;
  private static final int NOT_GENUINE = 400;

  private static final class Seen {
    private final int delivery;
    private int attempts;
    private boolean accepted;

    Seen(int delivery) {
      this.delivery = delivery;
    }
  }

  private final String name;
  private final WebhookVerifier verifier;
  private final Answering answering;
  private final Map<UUID, Seen> seen =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Seen> eldest) {
          return size() > REMEMBERED_DELIVERIES_MAX;
        }
      };
  private int deliveries;

  ReceivingEndpoint(String name, WebhookVerifier verifier, Answering answering) {
    this.name = name;
    this.verifier = verifier;
    this.answering = answering;
  }

  Arrival receive(MultiMap headers, Buffer body) {
    Verdict verdict = verifier.verify(headers, body);
    return switch (verdict) {
      case Genuine genuine -> receive(genuine);
      case Verdict.Refused _ -> new Arrival(name, verdict, 0, NOT_GENUINE, false);
    };
  }

  private Arrival receive(Genuine genuine) {
    Seen delivery = seen.computeIfAbsent(genuine.deliveryId(), _ -> new Seen(++deliveries));
    int attempt = ++delivery.attempts;
    int status = answering.status(delivery.delivery, attempt);
    boolean accepted = status < 300 && !delivery.accepted;
    delivery.accepted |= accepted;
    return new Arrival(name, genuine, attempt, status, accepted);
  }
}
