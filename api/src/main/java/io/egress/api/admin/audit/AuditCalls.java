package io.egress.api.admin.audit;

import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.call.Pages;
import io.egress.api.intake.QueryValues;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Lists the audit log in pages, or exports it as NDJSON. */
public final class AuditCalls {
  private static final int LIMIT_DEFAULT = 50;

  private final AuditEntries audit;
  private final AuditExport export;

  public AuditCalls(AuditEntries audit, AuditExport export) {
    this.audit = audit;
    this.export = export;
  }

  /** Entries of one workspace. */
  public Answer list(Call call) {
    return answer(call, call.workspaceId());
  }

  /** Entries of all workspaces, and those without a workspace. */
  public Answer listAll(Call call) {
    return answer(call, null);
  }

  private Answer answer(Call call, @Nullable UUID workspaceId) {
    if (call.accepts("application", "x-ndjson")) {
      return export.answer(
          AuditFilter.from(workspaceId, call.query(), AuditExport.ENTRIES_MAX),
          AuditExport.Form.NDJSON);
    }
    AuditFilter filter = AuditFilter.from(workspaceId, call.query(), QueryValues.LIMIT_MAX);
    Integer limit = filter.limit();
    AuditEntries.Page page = audit.page(filter, limit == null ? LIMIT_DEFAULT : limit);
    return Pages.answer("entries", page.entries(), page.cursor());
  }
}
