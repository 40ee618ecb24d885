/** Calls `onTimeout` when a connection has requests without a response for too long. */
export class Watchdog {
  readonly #timer: NodeJS.Timeout;
  #outstanding = 0;

  constructor(timeoutMs: number, onTimeout: () => void) {
    // One timer per connection, restarted with `refresh`: a new timer for every query costs more garbage collection.
    this.#timer = setTimeout(() => {
      if (this.#outstanding > 0) onTimeout();
    }, timeoutMs).unref();
  }

  requestSent(): void {
    if (this.#outstanding === 0) this.#timer.refresh();
    this.#outstanding += 1;
  }

  /** Responses arrive in the order of the requests. */
  responseReceived(): void {
    this.#outstanding -= 1;
    if (this.#outstanding > 0) this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
