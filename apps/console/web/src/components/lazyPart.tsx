import { Component, type ComponentType, lazy, type ReactNode, Suspense, useSyncExternalStore } from "react";

/** Says that the code of a part could not be loaded: the console was upgraded, or is unreachable. */
class NotLoaded extends Error {}

interface LoadingProps {
  /** Shown while the code loads. */
  waiting?: ReactNode;
  /** Shown in place of a part whose code could not be loaded. */
  instead?: ReactNode;
  /** What the part is used for, such as a question that it asks. Another use that is not falsy tries to load again. */
  use?: unknown;
  /** Called if the code could not be loaded. */
  failed?: () => void;
}

/**
 * Returns a component whose code is loaded when it is first shown. If that fails, the page around it stays, the shell
 * offers to reload the page, and a later use tries again. React.lazy alone would replace the page by an error, and
 * would remember it.
 */
export function lazyPart<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const make = () =>
    lazy(() =>
      load().catch((cause: unknown) => {
        throw new NotLoaded(undefined, { cause });
      }),
    );
  let Part = make();
  return function LazyPart({ waiting, instead, use, failed, ...props }: Props & LoadingProps) {
    const onFailed = () => {
      Part = make();
      setLoadFailed(true);
      failed?.();
    };
    return (
      <Boundary instead={instead} use={use} failed={onFailed}>
        <Suspense fallback={waiting}>
          <Part {...(props as unknown as Props)} />
        </Suspense>
      </Boundary>
    );
  };
}

interface BoundaryProps extends LoadingProps {
  children: ReactNode;
}

class Boundary extends Component<BoundaryProps, { use: unknown; error?: unknown }> {
  static getDerivedStateFromError = (error: unknown) => ({ error });
  static getDerivedStateFromProps({ use }: BoundaryProps, state: { use: unknown }) {
    if (use === state.use) return null;
    return use ? { use, error: undefined } : { use };
  }
  override state: { use: unknown; error?: unknown } = { use: this.props.use };
  override componentDidCatch(error: unknown) {
    if (error instanceof NotLoaded) this.props.failed?.();
  }
  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    if (error instanceof NotLoaded) return this.props.instead;
    throw error;
  }
}

// Whether the shell says that a part could not be loaded.
let loadFailed = false;
const listeners = new Set<() => void>();

/** Shows in the shell that a part could not be loaded, or hides it. */
export function setLoadFailed(failed: boolean) {
  loadFailed = failed;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Reports whether a part could not be loaded. */
export const useLoadFailed = () => useSyncExternalStore(subscribe, () => loadFailed);
