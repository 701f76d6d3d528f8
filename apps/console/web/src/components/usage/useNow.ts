import { useEffect, useState } from "react";

import { readTime } from "@/api/early";

/** Returns the current time in ms and updates it every minute while the page is visible. */
export function useNow(): number {
  const [now, setNow] = useState(readTime);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && setNow(Date.now()), 60_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
