import { type FunctionComponent, use } from 'react';

/** A script of the console could not be loaded. */
export class PageLoadError extends Error {
  constructor() {
    super(
      navigator.onLine
        ? 'A part of the console could not be loaded. It may have been updated.'
        : 'You are offline, and this page has not been opened before.',
    );
  }
}

/** A page whose script is loaded when it is opened; the router preloads it. A failure never leaves the console. */
export function lazyPage<Name extends string>(
  load: () => Promise<Readonly<Record<Name, FunctionComponent>>>,
  name: Name,
): FunctionComponent & { preload: () => Promise<void> } {
  let loading: Promise<void> | undefined;
  let Loaded: FunctionComponent | undefined;
  let error: PageLoadError | undefined;
  async function preload(): Promise<void> {
    error = undefined;
    try {
      Loaded = (await load())[name];
    } catch {
      error = new PageLoadError();
      loading = undefined;
    }
  }
  const start = () => {
    loading ??= preload();
    return loading;
  };
  function Page() {
    if (error) throw error;
    if (!Loaded) use(start());
    return Loaded && <Loaded />;
  }
  return Object.assign(Page, { preload: start });
}
