import { availableParallelism } from 'node:os';
import { compare, hash } from '@node-rs/bcrypt';
import { fail } from '../errors.ts';

/** With a longer queue the last request would time out. */
const maxQueueLength = 100;

/** Bcrypt in worker threads, with limited concurrency so that a burst of sign-ins leaves a core to other requests. */
export class Passwords {
  readonly #cost: number;
  readonly #concurrency: number;
  readonly #queue: (() => void)[] = [];
  #running = 0;
  #dummyHash: Promise<string> | undefined;

  constructor(cost: number, concurrency = Math.max(1, availableParallelism() - 1)) {
    this.#cost = cost;
    this.#concurrency = concurrency;
  }

  hash(password: string): Promise<string> {
    return this.#enqueue(() => hash(password, this.#cost));
  }

  /**
   * Takes as long without a hash as with one, so that the time does not reveal whether an account exists. `admit` is
   * called when the comparison starts, after the wait in the queue, and may throw.
   */
  async verify(password: string, passwordHash: string | null | undefined, admit?: () => void): Promise<boolean> {
    this.#dummyHash ??= hash('no account has this password', this.#cost);
    const comparedHash = passwordHash ?? (await this.#dummyHash);
    const matches = await this.#enqueue(() => {
      admit?.();
      return compare(password, comparedHash);
    });
    return matches && passwordHash !== null && passwordHash !== undefined;
  }

  async #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#queue.length >= maxQueueLength) throw fail('auth.busy');
    if (this.#running >= this.#concurrency) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
