package io.egress.dispatcher.deliver;

import static java.util.Objects.requireNonNull;

import io.egress.dispatcher.document.Head;
import io.egress.dispatcher.lane.Completion;
import io.egress.dispatcher.lane.InFlight;
import io.egress.dispatcher.metrics.DeliveryMeters;
import io.egress.dispatcher.send.Envelope;
import io.egress.dispatcher.send.FailureKind;
import io.egress.dispatcher.send.Outcome;
import io.egress.dispatcher.send.SendRequest;
import io.egress.dispatcher.send.Sending;
import io.egress.dispatcher.send.WebhookSender;
import io.egress.endpoint.EndpointUrl;
import io.egress.flow.ByteBudget;
import io.vertx.core.buffer.Buffer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** Makes attempts: composes the envelope, sends it, and reports the outcome. */
final class Attempts {
  private static final Logger log = LoggerFactory.getLogger(Attempts.class);

  private final Workload workload;
  private final WebhookSender sender;
  private final OutcomeRecorder outcomes;
  private final ByteBudget memory;
  private final Clock clock;
  private final DeliveryMeters meters;

  /** {@code memory} bounds the envelopes held at a time. */
  Attempts(
      Workload workload,
      WebhookSender sender,
      OutcomeRecorder outcomes,
      ByteBudget memory,
      Clock clock,
      DeliveryMeters meters) {
    this.workload = requireNonNull(workload, "workload is null");
    this.sender = requireNonNull(sender, "sender is null");
    this.outcomes = requireNonNull(outcomes, "outcomes is null");
    this.memory = requireNonNull(memory, "memory is null");
    this.clock = requireNonNull(clock, "clock is null");
    this.meters = requireNonNull(meters, "meters is null");
  }

  /**
   * {@code begun} runs when the body has its own memory or will never need any, {@code done} when
   * the slot is free again.
   */
  void make(
      InFlight<Job> slot,
      ReceiverCache.Receiver receiver,
      Head head,
      Runnable begun,
      Runnable done) {
    if (receiver.url() instanceof EndpointUrl.Parsed.Invalid invalid) {
      // The URL was fine when it was set: the settings have become stricter since.
      begun.run();
      fail(slot, FailureKind.BLOCKED_ADDRESS, String.join("; ", invalid.problems()), done);
      return;
    }
    EndpointUrl url = ((EndpointUrl.Parsed.Valid) receiver.url()).url();
    memory
        .take(head.length())
        .onSuccess(
            share -> {
              begun.run();
              send(
                  slot,
                  new Target(receiver, url, head),
                  () -> {
                    share.giveBack();
                    done.run();
                  });
            })
        .onFailure(
            lineFull -> {
              begun.run();
              end(slot, clock.instant(), new Outcome.Aborted("no memory", Duration.ZERO), done);
            });
  }

  /** Counts an attempt that cannot be made as failed. */
  void fail(InFlight<Job> slot, FailureKind kind, String detail, Runnable done) {
    end(
        slot,
        clock.instant(),
        new Outcome.Failed(kind, null, detail, Duration.ZERO, Buffer.buffer()),
        done);
  }

  private record Target(ReceiverCache.Receiver receiver, EndpointUrl url, Head head) {}

  private void send(InFlight<Job> slot, Target target, Runnable done) {
    Job job = slot.record();
    Instant startedAt = clock.instant();
    if (job.isAbandoned()) {
      end(slot, startedAt, new Outcome.Aborted("abandoned", Duration.ZERO), done);
      return;
    }
    Envelope envelope = Envelope.compose(job.delivery().id(), startedAt, target.head().bytes());
    workload.sent(slot);
    Sending sending =
        sender.send(
            new SendRequest(
                slot.endpointId(),
                target.url(),
                envelope,
                target.receiver().signature(),
                startedAt.getEpochSecond()));
    job.sending(sending);
    sending.outcome().onSuccess(outcome -> end(slot, startedAt, outcome, done));
  }

  private void end(InFlight<Job> slot, Instant startedAt, Outcome outcome, Runnable done) {
    outcome.match(new Settlement(slot, startedAt));
    done.run();
  }

  /** What follows from the outcome of an attempt. Failures of receivers are normal operation. */
  private final class Settlement implements Outcome.Cases {
    private final InFlight<Job> slot;
    private final Job job;
    private final Instant startedAt;

    private Settlement(InFlight<Job> slot, Instant startedAt) {
      this.slot = slot;
      this.job = slot.record();
      this.startedAt = startedAt;
    }

    /** Recorded even if the partition has been abandoned: the next owner uses it. */
    @Override
    public void delivered(Outcome.Delivered delivered) {
      if (log.isDebugEnabled()) {
        line(delivered).addKeyValue("status", delivered.status()).log("Delivered");
      }
      meters.delivered(job.delivery(), startedAt, delivered);
      workload.release(slot, Completion.DELIVERED);
      outcomes.delivered(job, startedAt, delivered);
    }

    @Override
    public void failed(Outcome.Failed failed) {
      if (log.isDebugEnabled()) {
        line(failed)
            .addKeyValue("outcome", failed.kind().word())
            .addKeyValue("status", failed.status())
            .log("Attempt failed");
      }
      meters.failed(job.delivery(), startedAt, failed);
      boolean answered = failed.kind() == FailureKind.STATUS;
      workload.release(slot, answered ? Completion.REFUSED : Completion.UNANSWERED);
      if (!job.isAbandoned()) {
        outcomes.failed(job, startedAt, failed);
      }
    }

    @Override
    public void aborted(Outcome.Aborted aborted) {
      if (log.isDebugEnabled()) {
        line(aborted).log("Attempt aborted: {}", aborted.reason());
      }
      meters.aborted();
      workload.release(slot, Completion.ABORTED);
      if (!job.isAbandoned()) {
        workload.giveBack(job);
      }
    }

    private LoggingEventBuilder line(Outcome outcome) {
      return DeliveryLine.about(log.atDebug(), job.delivery())
          .addKeyValue("duration_ms", outcome.duration().toMillis());
    }
  }
}
