import { TimeoutError } from './errors.ts';

/** Ends a call when its time is over or its caller aborts it. */
export class Deadline {
  readonly signal: AbortSignal;
  readonly #timeout: { readonly end: () => void; endsAt: number } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(timeoutMs: number | undefined, signal: AbortSignal | undefined) {
    const controller = new AbortController();
    this.signal = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
    if (timeoutMs === undefined) return;
    const error = new TimeoutError(`There was no response within ${timeoutMs} ms.`);
    this.#timeout = { end: () => controller.abort(error), endsAt: Date.now() + timeoutMs };
    this.#timer = setTimeout(this.#timeout.end, timeoutMs);
  }

  /** Ends so much later. */
  extend(ms: number): void {
    if (!this.#timeout || this.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timeout.endsAt += ms;
    this.#timer = setTimeout(this.#timeout.end, this.#timeout.endsAt - Date.now());
  }

  /** Settles like the promise, which other callers may wait for too, or rejects when the call ends. */
  race<Result>(promise: Promise<Result>): Promise<Result> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason);
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort);
      promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    });
  }

  wait(ms: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    return this.race(end).finally(() => clearTimeout(timer));
  }

  /** The caller's signal still ends a download. */
  clear(): void {
    clearTimeout(this.#timer);
  }
}
