package io.egress.api.admin;

import io.egress.api.admin.audit.AuditEntries;
import io.egress.api.admin.audit.AuditExport;
import io.egress.api.admin.captures.CaptureList;
import io.egress.api.admin.captures.Captures;
import io.egress.api.admin.copies.Copies;
import io.egress.api.admin.deliveries.DeliveryReads;
import io.egress.api.admin.deliveries.EndpointHealths;
import io.egress.api.admin.deliveries.EndpointLatencies;
import io.egress.api.admin.deliveries.PendingDeliveries;
import io.egress.api.admin.deliveries.RecentOutcomes;
import io.egress.api.admin.deliveries.SentBodies;
import io.egress.api.admin.deliveries.SentPages;
import io.egress.api.admin.deliveries.UndeliveredTotals;
import io.egress.api.admin.deliveries.Verifier;
import io.egress.api.admin.endpoints.Cursors;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.admin.endpoints.TestSend;
import io.egress.api.admin.erasures.CaptureErasure;
import io.egress.api.admin.keys.ApiKeys;
import io.egress.api.admin.keys.Readers;
import io.egress.api.admin.overview.WorkspaceList;
import io.egress.api.admin.replays.Replays;
import io.egress.api.admin.workspaces.RetentionPolicy;
import io.egress.api.intake.EndpointBody;

/** The operations that calls and pages have in common. */
public record Operations(
    OfWorkspaces workspaces, OfEndpoints endpoints, OfDeliveries deliveries, OfCaptures captures) {
  /** On workspaces, their keys, and what was done in them. */
  public record OfWorkspaces(
      WorkspaceList list,
      RetentionPolicy retention,
      ApiKeys keys,
      Readers readers,
      AuditEntries audit,
      AuditExport auditExport) {}

  /** On endpoints, and on how they do. */
  public record OfEndpoints(
      Endpoints endpoints,
      Cursors cursors,
      EndpointBody bodies,
      TestSend test,
      EndpointHealths healths,
      PendingDeliveries pending,
      RecentOutcomes outcomes,
      EndpointLatencies latencies) {}

  /** On deliveries: those that were made, those that are to be made again, and what is missing. */
  public record OfDeliveries(
      DeliveryReads reads,
      SentBodies bodies,
      SentPages pages,
      Replays replays,
      UndeliveredTotals undelivered,
      Verifier verifier) {}

  /** On captures, and on their copies elsewhere. */
  public record OfCaptures(
      Captures captures, CaptureList list, Copies copies, CaptureErasure erasure) {}
}
