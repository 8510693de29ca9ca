package io.egress.dispatcher.send;

import io.egress.endpoint.EndpointUrl;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** The pools of those endpoints that are sent to on one event loop. */
final class EndpointPools {
  private record Key(UUID endpointId, boolean secure, String host, int port) {
    static Key of(SendRequest request) {
      EndpointUrl url = request.url();
      return new Key(request.endpointId(), url.secure(), url.host(), url.port());
    }
  }

  private final PoolContext context;
  private final Map<Key, EndpointPool> pools = new HashMap<>();

  EndpointPools(PoolContext context) {
    this.context = context;
  }

  EndpointPool of(SendRequest request) {
    return pools.computeIfAbsent(Key.of(request), key -> new EndpointPool(request.url(), context));
  }

  /** To be called now and then. */
  void keepHouse() {
    context.idle().closeExpired(context.nanoTime());
    pools.values().removeIf(EndpointPool::isEmpty);
  }
}
