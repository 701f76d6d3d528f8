import { useEffect, useRef, useState } from "react";

/**
 * Runs a call and returns its state. The query library, which does this elsewhere, is not loaded with the sign-in.
 * Results after the component has gone are dropped.
 */
export function useCall<Input, Result>(call: (input: Input) => Promise<Result>, done: (result: Result) => void) {
  const [state, setState] = useState<{ pending: boolean; error?: unknown }>({ pending: false });
  const mounted = useRef(false);
  useEffect(() => {
    mounted.current = true;
    return () => {
      mounted.current = false;
    };
  }, []);
  const run = async (input: Input) => {
    setState({ pending: true });
    try {
      const result = await call(input);
      if (!mounted.current) return;
      setState({ pending: false });
      done(result);
    } catch (error) {
      if (mounted.current) setState({ pending: false, error });
    }
  };
  return { ...state, run: (input: Input) => void run(input) };
}
