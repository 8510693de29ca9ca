package io.egress.standalone;

import static org.assertj.core.api.Assertions.assertThat;

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
      Path.of("..", "deploy", "helm", "transcript-egress").toAbsolutePath().normalize();
  private static final String KUBERNETES = "1.31.0";
  private static final String NAMESPACE = "egress";
  private static final int SECONDS_MAX = 120;

  /** What a program answered. */
  record Answer(int exitValue, String text) {}

  private final Path helm;
  private final Path folder;

  /**
   * @param folder for Helm's own files and what it renders
   */
  HelmChart(Path helm, Path folder) {
    this.helm = helm;
    this.folder = folder;
  }

  static JsonObject yaml(Path file) throws IOException {
    return documents(Files.readString(file)).get(0);
  }

  Answer lint(String values) throws IOException, InterruptedException {
    return run(helm, "lint", "--strict", "--values", values(values), FOLDER.toString());
  }

  /** Renders with the values of one of the files in ci, and with single values. */
  Answer template(String values, String... single) throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(List.of("template", "release", FOLDER.toString()));
    arguments.addAll(List.of("--namespace", NAMESPACE, "--kube-version", KUBERNETES));
    arguments.addAll(List.of("--values", values(values)));
    for (String value : single) {
      arguments.addAll(List.of("--set", value));
    }
    return run(helm, arguments.toArray(String[]::new));
  }

  List<JsonObject> objects(String values, String... single)
      throws IOException, InterruptedException {
    return documents(rendered(values, single));
  }

  String rendered(String values, String... single) throws IOException, InterruptedException {
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
    for (String home : List.of("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME")) {
      builder.environment().put(home, folder.resolve("helm").toString());
    }
    builder.environment().put("KUBECONFIG", folder.resolve("none").toString());
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

  private static String values(String name) {
    return FOLDER.resolve("ci").resolve(name + "-values.yaml").toString();
  }

  @SuppressWarnings("unchecked")
  private static List<JsonObject> documents(String text) {
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
