const stored = "tollgate-fragment";
const longest = 100_000; // characters; a link of the playground has at most 64,000

/**
 * Keeps the fragment of a page's address while the user signs in, in this tab only. The fragment can hold settings of
 * the playground, and must not reach a server: not as a part of the address of the sign-in page, nor of the address
 * that starts a single sign-on.
 */
export function keepFragment(pathname: string, fragment: string) {
  try {
    sessionStorage.removeItem(stored);
    if (fragment && fragment.length <= longest) sessionStorage.setItem(stored, JSON.stringify({ pathname, fragment }));
  } catch {
    // The browser keeps no data for this site: the page opens without its fragment.
  }
}

/**
 * Returns a path of the console with the fragment that was kept for it. The fragment is then forgotten, also if it was
 * kept for another path.
 */
export function withFragment(path: string): string {
  try {
    const kept = JSON.parse(sessionStorage.getItem(stored) ?? "{}") as { pathname?: unknown; fragment?: unknown };
    sessionStorage.removeItem(stored);
    const own = !path.includes("#") && kept.pathname === path.split("?")[0];
    return own && typeof kept.fragment === "string" ? `${path}#${kept.fragment}` : path;
  } catch {
    return path;
  }
}
