// Runs before the first paint. It is a separate file because the content security policy forbids inline scripts.
(function () {
  var root = document.documentElement;
  function stored(key) {
    try {
      return localStorage.getItem(key);
    } catch (_) {
      return null;
    }
  }

  // Sets the color scheme, and follows the device.
  var device = matchMedia("(prefers-color-scheme: dark)");
  function setScheme() {
    var scheme = stored("mantine-color-scheme-value") || "auto";
    var dark = scheme === "dark" || (scheme === "auto" && device.matches);
    root.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
  }
  setScheme();
  device.addEventListener("change", setScheme);

  // The sign-in is in the document, in the language of the browser. It waits for its code if the user chose another one.
  var language = stored("tollgate-locale");
  if (language && language !== root.lang) root.setAttribute("data-other-language", "");
})();
