package io.egress.acceptance.portal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.Select;

/**
 * The system's Chromium. It notes what the content security policy refused, and dialogs that a page
 * opened.
 */
final class Chromium implements AutoCloseable {

  /**
   * Where .ci/run has installed a browser, a test must not pass for want of one: {@code required},
   * or {@code pictures}, which also writes the pictures.
   */
  private static final String REQUIRED = "EGRESS_TEST_BROWSER";

  private static final String PICTURES = "pictures";

  /** How long the checker may take on a slow machine. */
  private static final Duration SCRIPT_MAX = Duration.ofMinutes(5);

  private static final List<String> PLACES = List.of("/usr/bin", "/usr/local/bin", "/snap/bin");
  private static final Path SCREENSHOTS = Path.of("target", "portal");
  private static final String WATCH =
      """
      window.refusals = [];
      window.dialogs = 0;
      document.addEventListener('securitypolicyviolation',
        (event) => window.refusals.push(event.violatedDirective + ' ' + event.blockedURI));
      for (const name of ['alert', 'confirm', 'prompt']) {
        window[name] = () => { window.dialogs++; };
      }
      """;

  /**
   * Elements that stick out of the page, those that cut off text without an ellipsis, and cells of
   * a row that cover each other. Text for screen readers only, and what scrolls by itself, does not
   * count.
   */
  private static final String MISPLACED =
      """
      const width = document.documentElement.clientWidth;
      const found = [];
      for (const element of document.body.querySelectorAll('*')) {
        if (element.closest('.hidden, .skip, thead, svg, option, input, textarea') || !element.checkVisibility()) {
          continue;
        }
        const style = getComputedStyle(element);
        const named = (problem) => found.push(problem + ': ' + element.outerHTML.slice(0, 120));
        const box = element.getBoundingClientRect();
        const isConfined = (() => {
          for (let each = element.parentElement; each; each = each.parentElement) {
            if (getComputedStyle(each).overflowX !== 'visible') return true;
          }
          return false;
        })();
        if (!isConfined && (box.left < -1 || box.right > width + 1)) {
          named('sticks out');
        }
        const cuts = (overflow) => overflow === 'hidden' || overflow === 'clip';
        if (cuts(style.overflowX) && element.scrollWidth > element.clientWidth + 1
            && style.textOverflow !== 'ellipsis' && style.webkitLineClamp === 'none') {
          named('cut off at the side');
        }
        if (cuts(style.overflowY) && element.scrollHeight > element.clientHeight + 1
            && style.webkitLineClamp === 'none' && style.whiteSpace !== 'nowrap') {
          named('cut off below');
        }
      }
      for (const row of document.body.querySelectorAll('tbody tr')) {
        const boxes = [...row.children].filter((cell) => cell.checkVisibility()).map((cell) => cell.getBoundingClientRect());
        boxes.forEach((box, i) => boxes.slice(i + 1).forEach((other) => {
          if (Math.min(box.right, other.right) - Math.max(box.left, other.left) > 1
              && Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top) > 1) {
            found.push('printed over another: ' + row.outerHTML.slice(0, 120));
          }
        }));
      }
      return found;
      """;

  private static final String AXE = axe();

  /**
   * {@code AxeBuilder} loads the checker again for each run, opens a second window, and returns
   * also what is right. It checks frames, too, which no page has.
   */
  private static final String VIOLATIONS =
      """
      const done = arguments[0];
      if (document.querySelector('iframe, frame')) {
        done(['a frame, which is not checked']);
      } else {
        axe.run(document, {resultTypes: ['violations']}).then(
          (results) => done(results.violations.map((rule) => rule.id + ': ' + rule.help + ' '
            + rule.nodes.map((node) => node.html + ' ' + node.failureSummary).join(', '))),
          (failure) => done(['the checker failed: ' + failure]));
      }
      """;

  private final ChromeDriver driver;

  private Chromium(ChromeDriver driver) {
    this.driver = driver;
  }

  /** Skips the test where there is no browser. */
  static Chromium start() {
    Optional<Path> browser = program("chromium").or(() -> program("google-chrome"));
    Optional<Path> control = program("chromedriver");
    boolean isHere = browser.isPresent() && control.isPresent();
    if (isRequired()) {
      assertThat(isHere).as("chromium and chromedriver are installed").isTrue();
    }
    assumeTrue(isHere, "chromium and chromedriver (Debian: chromium-driver) are not installed");
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    ChromeOptions options = new ChromeOptions();
    options.setBinary(browser.orElseThrow().toFile());
    options.addArguments(
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage");
    options.setCapability("goog:loggingPrefs", logs);
    ChromeDriver driver =
        new ChromeDriver(
            new ChromeDriverService.Builder()
                .usingDriverExecutable(control.orElseThrow().toFile())
                .usingAnyFreePort()
                .build(),
            options);
    driver.manage().timeouts().scriptTimeout(SCRIPT_MAX);
    driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", WATCH));
    Chromium chromium = new Chromium(driver);
    chromium.desktop();
    return chromium;
  }

  private static Optional<Path> program(String name) {
    return Stream.concat(
            PLACES.stream(), Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1)))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  ChromeDriver driver() {
    return driver;
  }

  void go(String url) {
    driver.get(url);
  }

  /** How wide the page is shown. */
  enum Screen {
    PHONE(390, 844),
    TABLET(834, 1112),
    DESKTOP(1280, 860),
    WIDE(1920, 1080);

    /** A wide one shows no other layout than a desktop. */
    static final List<Screen> CHECKED = List.of(PHONE, TABLET, DESKTOP);

    private final int width;
    private final int height;

    Screen(int width, int height) {
      this.width = width;
      this.height = height;
    }

    private String suffix() {
      return this == DESKTOP ? "" : "-" + name().toLowerCase(Locale.ROOT);
    }
  }

  void desktop() {
    show(Screen.DESKTOP);
  }

  void phone() {
    show(Screen.PHONE);
  }

  void show(Screen screen) {
    size(screen.width, screen.height, screen.compareTo(Screen.DESKTOP) < 0);
  }

  /** Checks the page that is shown on every screen and in both schemes, and pictures it. */
  void inspect(String name) throws IOException {
    onEveryScreen(
        name,
        (screen, picture) -> {
          if (screen != Screen.TABLET) {
            assertAccessible(picture);
          }
          picture(picture);
        });
  }

  /** Like {@link #inspect}, of a page with text that the checker cannot return cut into pieces. */
  void measure(String name) throws IOException {
    onEveryScreen(name, (_, picture) -> picture(picture));
  }

  private interface Look {
    void at(Screen screen, String picture) throws IOException;
  }

  private void onEveryScreen(String name, Look look) throws IOException {
    for (String scheme : List.of("light", "dark")) {
      scheme(scheme);
      for (Screen screen : Screen.CHECKED) {
        show(screen);
        look.at(screen, name + "-" + scheme + screen.suffix());
      }
    }
    assertQuiet();
  }

  /** Pictures the page that is shown at the widths of a phone, a desktop and a wide screen. */
  void pictureEverywhere(String name) throws IOException {
    for (String scheme : List.of("light", "dark")) {
      scheme(scheme);
      for (Screen screen : List.of(Screen.PHONE, Screen.DESKTOP, Screen.WIDE)) {
        show(screen);
        assertTextsFit(name + " on a " + screen);
        picture(name + "-" + scheme + "-" + screen.width);
      }
    }
  }

  private void picture(String name) throws IOException {
    assertNoSidewaysScrolling(name);
    screenshot(name);
  }

  private void size(int width, int height, boolean mobile) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", mobile));
  }

  void scheme(String lightOrDark) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", lightOrDark))));
  }

  String text() {
    return driver.findElement(By.tagName("body")).getText();
  }

  void awaitText(String text) {
    await().ignoreExceptions().untilAsserted(() -> assertThat(text()).contains(text));
  }

  WebElement find(String css) {
    return driver.findElement(By.cssSelector(css));
  }

  void type(String field, String text) {
    WebElement input = find("[name=" + field + "]");
    input.clear();
    input.sendKeys(text);
  }

  void choose(String field, String value) {
    new Select(find("select[name=" + field + "]")).selectByValue(value);
  }

  /** A button that leads to another page, which is loaded when this returns. */
  void press(String button) {
    leaveBy(button(button));
  }

  /** A button that stays on the page. */
  void click(String button) {
    button(button).click();
  }

  /** A link to another page, which is loaded when this returns. */
  void follow(String link) {
    leaveBy(driver.findElement(By.partialLinkText(link)));
  }

  private WebElement button(String label) {
    return driver.findElement(By.xpath("//button[normalize-space()='" + label + "']"));
  }

  private void leaveBy(WebElement element) {
    driver.executeScript("window.left = true");
    element.click();
    await()
        .ignoreExceptions()
        .until(
            () ->
                driver.executeScript(
                    "return window.left !== true && document.readyState === 'complete'"),
            Boolean.TRUE::equals);
  }

  /** Whether the page is still the one that {@link #mark} was called on. */
  boolean isMarked() {
    return Boolean.TRUE.equals(driver.executeScript("return window.marked === true"));
  }

  void mark() {
    driver.executeScript("window.marked = true");
  }

  /** Nothing was refused by the policy of the page that is shown, and it opened no dialog. */
  void assertQuiet() {
    assertThat(driver.executeScript("return window.refusals")).isEqualTo(List.of());
    assertThat(driver.executeScript("return window.dialogs")).isEqualTo(0L);
    assertThat(driver.manage().logs().get(LogType.BROWSER).getAll())
        .extracting(LogEntry::getMessage)
        .noneMatch(message -> message.contains("Content Security Policy"))
        .noneMatch(message -> message.contains("Uncaught"));
  }

  void assertAccessible(String page) {
    if (!Boolean.TRUE.equals(driver.executeScript("return Boolean(window.axe)"))) {
      driver.executeScript(AXE);
    }
    assertThat(driver.executeAsyncScript(VIOLATIONS)).as(page).isEqualTo(List.of());
  }

  private static String axe() {
    try (InputStream script = Chromium.class.getResourceAsStream("/axe.min.js")) {
      return new String(requireNonNull(script).readAllBytes(), UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  void assertNoSidewaysScrolling(String page) {
    assertThat(
            driver.executeScript(
                "return document.documentElement.scrollWidth - document.documentElement.clientWidth"))
        .as(page)
        .isEqualTo(0L);
  }

  /** No text leaves the page or is cut off without an ellipsis. */
  void assertTextsFit(String page) {
    assertThat(driver.executeScript(MISPLACED)).as(page).isEqualTo(List.of());
  }

  /**
   * Of the whole page, but no longer than two screens. Only where pictures are wanted: one takes
   * longer than all checks of its page.
   */
  void screenshot(String name) throws IOException {
    if (!PICTURES.equals(System.getenv(REQUIRED))) {
      return;
    }
    long width = number("window.innerWidth");
    long height = number("document.documentElement.scrollHeight");
    Map<String, Object> clip =
        Map.of(
            "x", 0,
            "y", 0,
            "width", width,
            "height", Math.min(height, 2 * number("window.innerHeight")),
            "scale", 1);
    Object data =
        driver
            .executeCdpCommand(
                "Page.captureScreenshot",
                Map.of("format", "png", "captureBeyondViewport", true, "clip", clip))
            .get("data");
    Files.createDirectories(SCREENSHOTS);
    Files.write(
        SCREENSHOTS.resolve(name + ".png"), Base64.getDecoder().decode(String.valueOf(data)));
  }

  /** What the window shows, as WebP in Base64. */
  String picture() {
    return String.valueOf(
        driver
            .executeCdpCommand("Page.captureScreenshot", Map.of("format", "webp", "quality", 70))
            .get("data"));
  }

  long number(String expression) {
    return ((Number) requireNonNull(driver.executeScript("return " + expression))).longValue();
  }

  private static boolean isRequired() {
    String value = System.getenv(REQUIRED);
    return "required".equals(value) || PICTURES.equals(value);
  }

  @Override
  public void close() {
    driver.quit();
  }
}
