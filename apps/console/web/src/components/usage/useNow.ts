import { useEffect, useState } from "react";

/** The present moment, told anew every minute while the page is looked at. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && setNow(Date.now()), 60_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
