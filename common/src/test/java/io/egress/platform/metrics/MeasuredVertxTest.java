package io.egress.platform.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.spi.VertxServiceProvider;
import io.vertx.sqlclient.impl.TransactionPropagationLocal;
import io.vertx.tracing.opentelemetry.OpenTelemetryTracingFactory;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class MeasuredVertxTest {
  /** A Vert.x does not look for them when it is created here. */
  @Test
  void knowsEveryProviderOnTheClassPath() {
    List<String> found =
        ServiceLoader.load(VertxServiceProvider.class).stream()
            .map(provider -> provider.type().getName())
            .toList();

    assertThat(found)
        .containsExactlyInAnyOrder(
            TransactionPropagationLocal.class.getName(),
            OpenTelemetryTracingFactory.class.getName());
  }
}
