package io.egress.api.pull;

import static io.egress.api.pull.PullAnswers.LIST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.egress.api.Service;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A database that was put back to an earlier state, below clients whose cursors are ahead of it.
 */
@Execution(ExecutionMode.CONCURRENT)
class RestoredHistoryTest {
  private Service service;
  private final UUID workspace = UUID.randomUUID();
  private String key;

  @BeforeEach
  void start() {
    service = Service.start();
    key = service.mintKey(workspace);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void refusesCursorsOfTheLostHistoryPermanently() throws Exception {
    put(Stream.generate(UUID::randomUUID).limit(2).toList());
    String kept = endCursor();
    put(Stream.generate(UUID::randomUUID).limit(3).toList());
    String lost = endCursor();

    restoreTo(2);
    assertOtherHistory(lost);
    put(Stream.generate(UUID::randomUUID).limit(3).toList());
    assertOtherHistory(lost);
    put(Stream.generate(UUID::randomUUID).limit(3).toList());
    assertOtherHistory(lost);

    assertThat(page("?after=" + kept).path("captures")).hasSize(6);
    assertThat(page("").path("captures")).hasSize(8);
  }

  @Test
  void acceptsCursorsWhenTheSameCapturesEnterInTheSameOrder() throws Exception {
    put(Stream.generate(UUID::randomUUID).limit(2).toList());
    List<UUID> repeated = Stream.generate(UUID::randomUUID).limit(3).toList();
    put(repeated);
    String cursor = endCursor();

    restoreTo(2);
    put(repeated);

    assertThat(endCursor()).isEqualTo(cursor);
    assertThat(page("?after=" + cursor).path("captures")).isEmpty();
  }

  private void put(List<UUID> ids) {
    for (UUID id : ids) {
      assertThat(service.put(id, Service.capture(workspace)).statusCode()).isEqualTo(201);
      await()
          .until(() ->
              service.query("select 1 from stream where capture_id = '%s'".formatted(id)).size()
                  == 1);
    }
  }

  /** What an older dump would hold. */
  private void restoreTo(long position) {
    service.query(
        """
        begin;
        alter table stream disable trigger user;
        create temporary table lost on commit drop as
          select capture_id from stream where workspace_id = '%1$s' and position > %2$d;
        delete from stream where capture_id in (select capture_id from lost);
        alter table stream enable trigger user;
        delete from outbox where capture_id in (select capture_id from lost);
        alter table captures disable trigger user;
        delete from captures where id in (select capture_id from lost);
        alter table captures enable trigger user;
        update workspaces w set stream_head = s.position, stream_chain = s.chain
        from stream s where w.id = '%1$s' and s.workspace_id = w.id and s.position = %2$d;
        commit
        """
            .formatted(workspace, position));
  }

  private void assertOtherHistory(String cursor) throws Exception {
    HttpResponse<String> answer = service.pull(LIST + "?after=" + cursor, key);
    PullAnswers.assertError(answer, 400, "restored");
    assertThat(answer.body()).contains("without a cursor").contains("deduplicate");
  }

  private String endCursor() throws Exception {
    return page("").path("pageInfo").path("endCursor").textValue();
  }

  private JsonNode page(String query) throws Exception {
    HttpResponse<String> answer = service.pull(LIST + query, key);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return PullAnswers.JSON.readTree(answer.body());
  }
}
