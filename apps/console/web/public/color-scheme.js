// Sets the colour scheme before the first paint. It stands in a file of its own because inline scripts are forbidden.
(function () {
  var scheme = "auto";
  try {
    scheme = localStorage.getItem("mantine-color-scheme-value") || "auto";
  } catch (_) {}
  var dark = scheme === "dark" || (scheme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
