package io.egress.platform.outage;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.junit.jupiter.api.Test;

class ReasonTest {
  @Test
  void namesNoClasses() {
    assertThat(Reason.of(new TimeoutException())).isEqualTo("no answer in time");
    assertThat(Reason.of(new ClosedChannelException())).isEqualTo("the connection was closed");
    assertThat(Reason.of(new ConnectException("Connection refused: localhost/127.0.0.1:5432")))
        .isEqualTo("Connection refused: localhost/127.0.0.1:5432");
    assertThat(Reason.of(new ExecutionException(new IOException("Broken pipe"))))
        .isEqualTo("Broken pipe");
    assertThat(Reason.of(new IOException("java.net.ConnectException: Connection refused")))
        .isEqualTo("Connection refused");
    assertThat(Reason.of(new NotEnoughReplicasException((String) null)))
        .isEqualTo("not enough replicas");
    assertThat(Reason.of(new IllegalStateException())).isEqualTo("illegal state");
  }

  @Test
  void aTimeoutOfVertxIsOne() {
    Future<?> waiting = Future.future(_ -> {}).timeout(1, TimeUnit.MILLISECONDS);
    while (!waiting.isComplete()) {
      Thread.onSpinWait();
    }
    assertThat(Reason.of(waiting.cause())).isEqualTo("no answer in time");
  }
}
