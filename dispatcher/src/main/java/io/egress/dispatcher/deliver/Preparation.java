package io.egress.dispatcher.deliver;

import io.egress.dispatcher.documents.CurrentDocuments;
import io.egress.dispatcher.documents.ErasureDocuments;
import io.egress.platform.database.LostConnections;
import io.egress.platform.flow.ByteBudget;
import io.egress.webhook.backfill.OpenBackfills;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Event;
import io.egress.webhook.deliverylog.DeliveryLog;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.EndpointTargets;
import io.egress.webhook.endpoint.Payload;
import io.egress.webhook.send.Content;
import io.egress.webhook.send.DocumentHead;
import io.egress.webhook.turn.DuePage;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlClient;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Reads what attempts need, at the last moment: the current endpoint, the current document, and
 * whether the attempt is still to be made. Many attempts share a query.
 */
final class Preparation {
  /** More than the concurrent queries. */
  private static final int QUERIES_WAITING_MAX = 16;

  /** What to do with a job. */
  sealed interface Verdict {
    record Attempt(EndpointTarget target, DocumentHead head) implements Verdict {}

    /** {@code content} is that of the page. */
    record AttemptPage(EndpointTarget target, DuePage page, Content.Page content)
        implements Verdict {}

    /** Nothing is sent now. */
    sealed interface WithoutAttempt extends Verdict {}

    /** The attempt was made before; {@code ended} if the delivery is finished, too. */
    record Settled(boolean ended) implements WithoutAttempt {}

    /** The endpoint is paused or deleted. */
    record Skip() implements WithoutAttempt {}

    /** The replay that created the delivery was canceled. */
    record Canceled() implements WithoutAttempt {}

    /** There was no room for the document; it has to be read again. */
    record Later() implements WithoutAttempt {}

    /** The capture was erased: it is not sent anymore. */
    record Erased() implements WithoutAttempt {}

    /** The update is not sent: a later one is, or the endpoint has what it shows. */
    record Superseded() implements WithoutAttempt {}

    /** The capture is of this workspace, which is not the endpoint's. */
    record Foreign(UUID workspaceId) implements WithoutAttempt {}

    /** The same of a capture of a page. */
    record UnrenderablePage(DuePage page) implements WithoutAttempt {}

    /** The page that is due has no captures. */
    record Empty(DuePage page) implements WithoutAttempt {}

    /** The record stands for no page that is due. */
    record Stale() implements WithoutAttempt {}

    /** The capture does not exist. */
    record Missing() implements WithoutAttempt {}

    /** The capture is damaged: nothing can be sent until it is written again. */
    record Unrenderable() implements WithoutAttempt {}
  }

  /**
   * The answers to one query.
   *
   * @param canceled replays whose deliveries must not be sent
   * @param erasures the data of erasure notifications, by capture
   * @param updates what is known of updates, by delivery
   * @param pages those that are due, by endpoint
   * @param memory reserved for the documents
   * @param large whether the documents are large enough to hold their memory until the attempts
   *     have ended, and not only until their bodies are built
   */
  record Answers(
      Map<UUID, EndpointTarget> endpoints,
      Map<UUID, DeliveryLog.Known> known,
      Set<UUID> canceled,
      Map<UUID, DocumentHead> erasures,
      Map<UUID, UpdateLookup.Known> updates,
      Map<UUID, DuePage> pages,
      CurrentDocuments.Found documents,
      ByteBudget.Share memory,
      boolean large) {
    Verdict on(Delivery delivery) {
      return delivery.isPage() ? onPage(delivery) : onCapture(delivery);
    }

    /** A document that cannot be rendered holds up the page. */
    private Verdict onPage(Delivery turn) {
      EndpointTarget target = endpoints.get(turn.endpointId());
      if (target == null || target.deleted() || target.paused()) {
        return new Verdict.Skip();
      }
      DuePage due = pages.get(turn.endpointId());
      if (due == null || !due.isOf(turn)) {
        return new Verdict.Stale();
      }
      if (due.end() == null) {
        return new Verdict.Empty(due);
      }
      DuePage page = due.without(documents.erased());
      for (UUID captureId : page.documents()) {
        if (!documents.heads().containsKey(captureId)) {
          return documents.unrenderable().contains(captureId)
              ? new Verdict.UnrenderablePage(page)
              : new Verdict.Later();
        }
      }
      return new Verdict.AttemptPage(target, page, page.content(documents.heads()));
    }

    private Verdict onCapture(Delivery delivery) {
      DeliveryLog.Known before = known.get(delivery.id());
      if (before != null && before.hasSettled(delivery)) {
        return new Verdict.Settled(before.hasEnded());
      }
      EndpointTarget target = endpoints.get(delivery.endpointId());
      UUID workspaceId = documents.workspaces().get(delivery.captureId());
      if (target != null && workspaceId != null && !workspaceId.equals(target.workspaceId())) {
        return new Verdict.Foreign(workspaceId);
      }
      if (target == null || target.deleted() || target.paused()) {
        return new Verdict.Skip();
      }
      if (delivery.replayId() != null && canceled.contains(delivery.replayId())) {
        return new Verdict.Canceled();
      }
      if (delivery.event() == Event.CAPTURE_ERASED) {
        DocumentHead erasure = erasures.get(delivery.captureId());
        return erasure == null ? new Verdict.Missing() : new Verdict.Attempt(target, erasure);
      }
      DocumentHead head = documents.heads().get(delivery.captureId());
      if (head != null) {
        UpdateLookup.Known update = updates.get(delivery.id());
        return update != null && update.supersedes(delivery, head)
            ? new Verdict.Superseded()
            : new Verdict.Attempt(target, head);
      }
      if (documents.unrenderable().contains(delivery.captureId())) {
        return new Verdict.Unrenderable();
      }
      if (documents.erased().contains(delivery.captureId())) {
        return new Verdict.Erased();
      }
      return documents.later().contains(delivery.captureId())
          ? new Verdict.Later()
          : new Verdict.Missing();
    }
  }

  private record Lookup(
      Map<UUID, EndpointTarget> endpoints,
      Map<UUID, DeliveryLog.Known> known,
      Set<UUID> canceled,
      Map<UUID, DocumentHead> erasures,
      Map<UUID, UpdateLookup.Known> updates,
      Due due) {}

  /** The pages that are due, and the documents. */
  private record Due(Map<UUID, DuePage> pages, CurrentDocuments.Answer documents) {}

  private final Pool pool;
  private final DeliveryLog deliveryLog;
  private final CurrentDocuments heads;
  private final ByteBudget memory;
  private final long shareMax;

  /**
   * {@code memory} limits the documents held at a time. One larger than {@code shareMax} counts as
   * that much, so that small ones can pass it and a second large one cannot.
   */
  Preparation(
      Pool pool,
      DeliveryLog deliveryLog,
      CurrentDocuments heads,
      ByteBudget memory,
      long shareMax) {
    this.pool = pool;
    this.deliveryLog = deliveryLog;
    this.heads = heads;
    this.memory = memory;
    this.shareMax = shareMax;
  }

  static Preparation of(Vertx vertx, DeliveryVerticle.Dependencies shared, WorkerSettings bounds) {
    long bytesMax = bounds.documentBytesMax();
    return new Preparation(
        shared.pool(),
        shared.deliveryLog(),
        new CurrentDocuments(vertx, shared.documents(), shared.heads()),
        new ByteBudget(vertx, bytesMax, QUERIES_WAITING_MAX),
        bytesMax / 4 * 3);
  }

  /**
   * The queries are pipelined. The connection is returned before a document is rendered, which
   * needs another one. {@code onAnswer} is called when the database has answered; no document is
   * inflated before there is memory for it.
   */
  Future<Answers> read(List<Delivery> deliveries, Runnable onAnswer) {
    Set<UUID> endpointIds =
        deliveries.stream().map(Delivery::endpointId).collect(Collectors.toSet());
    return LostConnections.with(
            pool,
            connection -> {
              Future<Map<UUID, EndpointTarget>> targets =
                  EndpointTargets.byIds(connection, endpointIds);
              Future<Map<UUID, DeliveryLog.Known>> known =
                  deliveryLog.known(
                      connection, deliveries.stream().filter(each -> !each.isPage()).toList());
              Future<Set<UUID>> canceled = canceled(connection, deliveries);
              Future<Due> due = due(connection, deliveries);
              Future<Map<UUID, DocumentHead>> erasures = erasures(connection, deliveries);
              Future<Map<UUID, UpdateLookup.Known>> updates =
                  UpdateLookup.read(connection, deliveries);
              return Future.join(List.of(targets, known, canceled, due, erasures, updates))
                  .map(_ ->
                      new Lookup(
                          targets.result(),
                          known.result(),
                          canceled.result(),
                          erasures.result(),
                          updates.result(),
                          due.result()));
            })
        .compose(lookup -> {
          onAnswer.run();
          long bytes = lookup.due().documents().bytes();
          return memory
              .take(Math.min(shareMax, bytes))
              .compose(share -> find(deliveries, lookup, share, bytes > shareMax / 2));
        });
  }

  /** Documents are read in the order of their deliveries; those of the first page all at once. */
  private Future<Due> due(SqlClient client, List<Delivery> deliveries) {
    return pages(client, deliveries.stream().filter(Delivery::isPage).toList())
        .compose(pages -> {
          Set<UUID> captureIds = new LinkedHashSet<>();
          long bytesOfFirst = 0;
          for (Delivery delivery : deliveries) {
            DuePage page = pages.get(delivery.endpointId());
            if (!delivery.isPage()) {
              captureIds.add(delivery.captureId());
            } else if (page != null && page.isOf(delivery)) {
              bytesOfFirst = captureIds.isEmpty() ? 2 * page.bytes() : bytesOfFirst;
              captureIds.addAll(page.documents());
            }
          }
          return heads
              .read(client, captureIds, bytesOfFirst)
              .map(documents -> new Due(pages, documents));
        });
  }

  /** Keyed by endpoint. Where each ends is written before it can be sent. */
  private static Future<Map<UUID, DuePage>> pages(SqlClient client, List<Delivery> turns) {
    if (turns.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    return DuePage.read(client, turns.stream().map(Delivery::endpointId).toList())
        .compose(pages -> {
          List<DuePage> fresh = new ArrayList<>();
          for (Delivery turn : turns) {
            DuePage page = pages.get(turn.endpointId());
            if (page != null && page.isOf(turn) && page.end() != null && !page.isSet()) {
              fresh.add(page);
            }
          }
          return DuePage.set(client, fresh)
              .map(gone -> {
                pages.keySet().removeAll(gone);
                return pages;
              });
        });
  }

  private static Future<Set<UUID>> canceled(SqlClient client, List<Delivery> deliveries) {
    Set<UUID> replayIds = new HashSet<>();
    for (Delivery delivery : deliveries) {
      if (delivery.replayId() != null) {
        replayIds.add(delivery.replayId());
      }
    }
    return replayIds.isEmpty()
        ? Future.succeededFuture(Set.of())
        : OpenBackfills.canceled(client, replayIds);
  }

  private static Future<Map<UUID, DocumentHead>> erasures(
      SqlClient client, List<Delivery> deliveries) {
    Set<UUID> captureIds = new HashSet<>();
    for (Delivery delivery : deliveries) {
      if (delivery.event() == Event.CAPTURE_ERASED) {
        captureIds.add(delivery.captureId());
      }
    }
    return captureIds.isEmpty()
        ? Future.succeededFuture(Map.of())
        : ErasureDocuments.read(client, captureIds);
  }

  private Future<Answers> find(
      List<Delivery> deliveries, Lookup lookup, ByteBudget.Share share, boolean large) {
    return heads
        .find(lookup.due().documents(), wanted(deliveries, lookup))
        .map(found ->
            new Answers(
                lookup.endpoints(),
                lookup.known(),
                lookup.canceled(),
                lookup.erasures(),
                lookup.updates(),
                lookup.due().pages(),
                found,
                share,
                large))
        .onFailure(_ -> share.giveBack());
  }

  private static CurrentDocuments.Wanted wanted(List<Delivery> deliveries, Lookup lookup) {
    Set<UUID> texts = new HashSet<>();
    Set<UUID> compressed = new HashSet<>();
    for (Delivery delivery : deliveries) {
      EndpointTarget target = lookup.endpoints().get(delivery.endpointId());
      if (target == null || target.setup().spec().payload() != Payload.DOCUMENT) {
        continue;
      }
      Set<UUID> sent = target.setup().spec().compress() ? compressed : texts;
      DuePage page = lookup.due().pages().get(delivery.endpointId());
      if (!delivery.isPage()) {
        sent.add(delivery.captureId());
      } else if (page != null) {
        sent.addAll(page.documents());
      }
    }
    return new CurrentDocuments.Wanted(texts, compressed);
  }
}
