package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The chart in deploy/helm, and what Helm makes of it. */
final class HelmChart {
  static final Path FOLDER =
      Path.of("..", "..", "deploy", "helm", "transcript-egress").toAbsolutePath().normalize();
  private static final String KUBERNETES = "1.31.0";
  private static final String NAMESPACE = "egress";
  private static final int SECONDS_MAX = 120;

  /** The result of a program, or of Helm. */
  record Answer(int exitValue, String text) {}

  private final Path folder;

  /**
   * @param folder for copies of the chart, and output of programs
   */
  HelmChart(Path folder) {
    this.folder = folder;
  }

  static JsonObject yaml(Path file) throws IOException {
    return documents(Files.readString(file)).get(0);
  }

  /** Lints a copy of the chart whose default values are merged with those of a file in ci. */
  LintResult lint(String values) throws IOException {
    Path copy = folder.resolve("chart");
    try (Stream<Path> files = Files.walk(FOLDER)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path target = copy.resolve(FOLDER.relativize(file));
        Files.createDirectories(target.getParent());
        Files.copy(file, target);
      }
    }
    JsonObject merged = yaml(FOLDER.resolve("values.yaml")).mergeIn(yaml(values(values)), true);
    Files.writeString(copy.resolve("values.yaml"), merged.encode());
    return new Helm(copy).lint().strict().call();
  }

  /** Renders with the values of a file in ci, and with single values. */
  Answer template(String values, String... single) {
    TemplateCommand command =
        new Helm(FOLDER)
            .template()
            .withName("release")
            .withNamespace(NAMESPACE)
            .withKubeVersion(KUBERNETES)
            .withValuesFile(values(values));
    for (String value : single) {
      String[] parts = value.split("=", 2);
      command.set(parts[0], parts[1]);
    }
    try {
      return new Answer(0, command.call());
    } catch (IllegalStateException failure) {
      return new Answer(1, String.valueOf(failure.getMessage()));
    }
  }

  List<JsonObject> objects(String values, String... single) {
    return documents(rendered(values, single));
  }

  String rendered(String values, String... single) {
    Answer answer = template(values, single);
    assertThat(answer.exitValue()).as(answer.text()).isZero();
    return answer.text();
  }

  /** Both streams together where it fails, the output alone where it succeeds. */
  Answer run(Path program, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    Path output = folder.resolve("output.txt");
    Path errors = folder.resolve("errors.txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile());
    Process process = builder.start();
    boolean ended = process.waitFor(SECONDS_MAX, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(ended).as(command.toString()).isTrue();
    int exitValue = process.waitFor();
    String text = Files.readString(output, StandardCharsets.UTF_8);
    return new Answer(exitValue, exitValue == 0 ? text : text + Files.readString(errors));
  }

  static List<JsonObject> ofKind(List<JsonObject> objects, String kind) {
    return objects.stream().filter(each -> kind.equals(each.getString("kind"))).toList();
  }

  static String name(JsonObject object) {
    return object.getJsonObject("metadata").getString("name");
  }

  /** The only container of a deployment. */
  static JsonObject container(JsonObject deployment) {
    JsonArray containers = pod(deployment).getJsonArray("containers");
    assertThat(containers).hasSize(1);
    return containers.getJsonObject(0);
  }

  static JsonObject pod(JsonObject deployment) {
    return deployment.getJsonObject("spec").getJsonObject("template").getJsonObject("spec");
  }

  static Stream<JsonObject> each(JsonObject parent, String list) {
    JsonArray array = parent.getJsonArray(list, new JsonArray());
    return StreamSupport.stream(array.spliterator(), false).map(JsonObject.class::cast);
  }

  private static Path values(String name) {
    return FOLDER.resolve("ci").resolve(name + "-values.yaml");
  }

  @SuppressWarnings("unchecked")
  static List<JsonObject> documents(String text) {
    Yaml yaml = new Yaml(new SafeConstructor(new LoaderOptions()));
    List<JsonObject> documents = new ArrayList<>();
    for (Object document : yaml.loadAll(text)) {
      if (document != null) {
        documents.add(new JsonObject((Map<String, Object>) document));
      }
    }
    return documents;
  }
}
