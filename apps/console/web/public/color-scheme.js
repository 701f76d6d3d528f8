// Sets the color scheme before the first paint. It is a separate file because the content security policy forbids
// inline scripts.
(function () {
  var scheme = "auto";
  try {
    scheme = localStorage.getItem("mantine-color-scheme-value") || "auto";
  } catch (_) {}
  var dark = scheme === "dark" || (scheme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
