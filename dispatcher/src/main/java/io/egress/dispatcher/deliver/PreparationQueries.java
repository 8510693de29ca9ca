package io.egress.dispatcher.deliver;

import io.egress.dispatcher.lane.InFlight;
import io.egress.platform.database.DamagedRows;
import io.egress.platform.flow.ByteBudget;
import io.egress.platform.outage.Outage;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queries of {@link Preparation} in flight, each for many jobs. A failed query is repeated
 * until the database answers; its jobs keep their slots, because other jobs would have to wait for
 * the database, too. If it failed because of a damaged row, it is split until the row's own
 * delivery is found. Owned by one event loop.
 */
final class PreparationQueries {
  private static final Logger log = LoggerFactory.getLogger(PreparationQueries.class);

  /** Of a query: the weights of its jobs together. */
  private static final int WEIGHT_MAX = 128;

  /**
   * A page stands for up to a hundred documents. Those of so many pages as a query then has fit
   * what it may read, so no page is looked up in vain.
   */
  private static final int WEIGHT_OF_PAGE = 16;

  private static final int IN_FLIGHT_MAX = 2;

  /** A second query in flight must be worth its cost. */
  private static final int SECOND_WEIGHT_MIN = 64;

  private static final int WAITING_MAX = 128;
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(500);

  /** Receives each job that was added, once. */
  interface Reader {
    /**
     * What to do with the job, based on data read no earlier than {@code sentNanos}. {@code
     * documents} has to be released.
     */
    void prepared(
        InFlight<Job> slot, Preparation.Verdict verdict, long sentNanos, DocumentHold documents);

    /** The database cannot read the job's document. */
    void damaged(InFlight<Job> slot);

    /** The job belongs to another worker. */
    void abandoned(InFlight<Job> slot);

    /** A query has ended: there may be room for more jobs. */
    void proceed();
  }

  /**
   * A job's part of the memory of the documents read with it, which is released with the last part.
   * Attempts keep it, so it must not refer to the documents.
   */
  static final class DocumentHold {
    private final DocumentMemory memory;
    private boolean released;

    private DocumentHold(DocumentMemory memory) {
      this.memory = memory;
    }

    /** The body of the attempt has memory of its own. */
    void bodyHasMemory() {
      if (!memory.large) {
        release();
      }
    }

    /** The job is done, or needs another query. */
    void release() {
      if (!released) {
        released = true;
        memory.releasePart();
      }
    }
  }

  private static final class DocumentMemory {
    private final ByteBudget.Share share;
    private final boolean large;
    private int parts;

    private DocumentMemory(Preparation.Answers answers, int parts) {
      this.share = answers.memory();
      this.large = answers.large();
      this.parts = parts;
    }

    private void releasePart() {
      parts--;
      if (parts == 0) {
        share.giveBack();
      }
    }
  }

  private static final class Query {
    private final List<InFlight<Job>> jobs;
    private final long sentNanos = System.nanoTime();
    private boolean answered;

    private Query(List<InFlight<Job>> jobs) {
      this.jobs = jobs;
    }
  }

  private final Vertx vertx;
  private final Preparation preparation;
  private final Reader reader;
  private final Deque<InFlight<Job>> waiting = new ArrayDeque<>();
  private int waitingWeight;
  private final List<Query> inFlight = new ArrayList<>(IN_FLIGHT_MAX);
  private final Outage preparing =
      new Outage(
          log,
          "Cannot read documents and endpoints for deliveries; retrying",
          "Documents and endpoints are read again");

  PreparationQueries(Vertx vertx, Preparation preparation, Reader reader) {
    this.vertx = vertx;
    this.preparation = preparation;
    this.reader = reader;
  }

  boolean hasRoom() {
    return waiting.size() < WAITING_MAX;
  }

  void add(InFlight<Job> slot) {
    waiting.add(slot);
    waitingWeight += weight(slot);
  }

  /** For a job that needs another query. */
  void addFirst(InFlight<Job> slot) {
    waiting.addFirst(slot);
    waitingWeight += weight(slot);
  }

  /** Queries the jobs that were added, as far as queries are free. */
  void send() {
    while (inFlight.size() < IN_FLIGHT_MAX
        && waitingWeight >= (inFlight.isEmpty() ? 1 : SECOND_WEIGHT_MIN)) {
      List<InFlight<Job>> jobs = new ArrayList<>();
      int weight = 0;
      while (weight < WEIGHT_MAX && !waiting.isEmpty()) {
        InFlight<Job> next = waiting.remove();
        weight += weight(next);
        jobs.add(next);
      }
      waitingWeight -= weight;
      sendNew(jobs);
    }
  }

  private static int weight(InFlight<Job> slot) {
    return slot.record().delivery().isPage() ? WEIGHT_OF_PAGE : 1;
  }

  /** Time since the oldest unanswered query was sent; 0 if there is none. */
  long waitingNanos() {
    long now = System.nanoTime();
    return inFlight.stream()
        .filter(query -> !query.answered)
        .mapToLong(query -> now - query.sentNanos)
        .max()
        .orElse(0);
  }

  private void sendNew(List<InFlight<Job>> jobs) {
    Query query = new Query(jobs);
    inFlight.add(query);
    send(query);
  }

  private void send(Query query) {
    preparation
        .read(
            query.jobs.stream().map(slot -> slot.record().delivery()).toList(),
            () -> query.answered = true)
        .onSuccess(answers -> answered(query, answers))
        .onFailure(failure -> failed(query, failure));
  }

  private void answered(Query query, Preparation.Answers answers) {
    preparing.worked();
    inFlight.remove(query);
    DocumentMemory memory = new DocumentMemory(answers, query.jobs.size());
    for (InFlight<Job> slot : query.jobs) {
      Preparation.Verdict verdict = answers.on(slot.record().delivery());
      reader.prepared(slot, verdict, query.sentNanos, new DocumentHold(memory));
    }
    reader.proceed();
  }

  private void failed(Query query, Throwable failure) {
    if (DamagedRows.isCauseOf(failure)) {
      isolateDamage(query);
      return;
    }
    query.answered = false;
    preparing.failed(failure);
    vertx.setTimer(PAUSE_AFTER_FAILURE.toMillis(), _ -> sendAgain(query));
  }

  private void isolateDamage(Query query) {
    inFlight.remove(query);
    List<InFlight<Job>> jobs = query.jobs;
    if (jobs.size() == 1) {
      reader.damaged(jobs.get(0));
      reader.proceed();
      return;
    }
    int half = jobs.size() / 2;
    sendNew(new ArrayList<>(jobs.subList(0, half)));
    sendNew(new ArrayList<>(jobs.subList(half, jobs.size())));
  }

  private void sendAgain(Query query) {
    query.jobs.removeIf(slot -> {
      boolean abandoned = slot.record().isAbandoned();
      if (abandoned) {
        reader.abandoned(slot);
      }
      return abandoned;
    });
    if (query.jobs.isEmpty()) {
      inFlight.remove(query);
      reader.proceed();
    } else {
      send(query);
    }
  }
}
