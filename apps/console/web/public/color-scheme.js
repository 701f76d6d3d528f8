// Sets the color scheme before the first paint, and follows the device. It is a separate file because the content
// security policy forbids inline scripts.
(function () {
  var device = matchMedia("(prefers-color-scheme: dark)");
  function set() {
    var scheme = "auto";
    try {
      scheme = localStorage.getItem("mantine-color-scheme-value") || "auto";
    } catch (_) {}
    var dark = scheme === "dark" || (scheme === "auto" && device.matches);
    document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
  }
  set();
  device.addEventListener("change", set);
})();
