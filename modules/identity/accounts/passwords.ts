import { availableParallelism } from 'node:os';
import { compare, hash } from '@node-rs/bcrypt';
import { fail } from '../errors.ts';
import { FairQueue } from './fair-queue.ts';

/** With a longer queue the last request would time out. */
const maxQueueLength = 100;

/**
 * Bcrypt in worker threads, with limited concurrency so that a burst of sign-ins leaves a core to other requests. The
 * networks that callers come from take turns, so that one of them cannot keep the others waiting.
 */
export class Passwords {
  readonly #cost: number;
  readonly #concurrency: number;
  readonly #queue = new FairQueue(maxQueueLength, () => fail('auth.busy'));
  #running = 0;
  #dummyHash: Promise<string> | undefined;

  constructor(cost: number, concurrency = Math.max(1, availableParallelism() - 1)) {
    this.#cost = cost;
    this.#concurrency = concurrency;
  }

  hash(password: string, network = ''): Promise<string> {
    return this.#enqueue(network, () => hash(password, this.#cost));
  }

  /** Takes as long without a hash as with one, so that the time does not reveal whether an account exists. */
  async verify(password: string, passwordHash: string | null | undefined, network = ''): Promise<boolean> {
    this.#dummyHash ??= hash('no account has this password', this.#cost);
    const comparedHash = passwordHash ?? (await this.#dummyHash);
    const matches = await this.#enqueue(network, () => compare(password, comparedHash));
    return matches && passwordHash !== null && passwordHash !== undefined;
  }

  async #enqueue<Result>(network: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#concurrency) await this.#queue.wait(network);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The next caller takes over this slot.
      if (!this.#queue.resolveNext()) this.#running -= 1;
    }
  }
}
