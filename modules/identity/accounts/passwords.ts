import { availableParallelism } from 'node:os';
import { compare, hash } from '@node-rs/bcrypt';
import { fail } from '../errors.ts';
import { FairQueue } from './fair-queue.ts';

/** With a longer queue the last request would time out. */
const maxQueueLength = 100;

/** Where a password comes from. */
interface Origin {
  readonly site: string;
  /** Whether the user is signed in, or has signed in from this network before. */
  readonly isKnown?: boolean;
}

/**
 * Bcrypt in worker threads, with limited concurrency so that a burst of sign-ins leaves a core to other requests. The
 * networks that callers come from take turns, so that one of them cannot keep the others waiting. Known callers have a
 * queue of their own, so that many networks cannot either.
 */
export class Passwords {
  readonly #cost: number;
  readonly #concurrency: number;
  readonly #known = new FairQueue(maxQueueLength, () => fail('auth.busy'));
  readonly #unknown = new FairQueue(maxQueueLength, () => fail('auth.busy'));
  /** In the order of their turns. */
  readonly #queues = [this.#known, this.#unknown];
  #running = 0;
  #dummyHash: Promise<string> | undefined;

  constructor(cost: number, concurrency = Math.max(1, availableParallelism() - 1)) {
    this.#cost = cost;
    this.#concurrency = concurrency;
  }

  hash(password: string, origin?: Origin): Promise<string> {
    return this.#enqueue(origin, () => hash(password, this.#cost));
  }

  /** Takes as long without a hash as with one, so that the time does not reveal whether an account exists. */
  async verify(password: string, passwordHash: string | null | undefined, origin?: Origin): Promise<boolean> {
    this.#dummyHash ??= hash('no account has this password', this.#cost);
    const comparedHash = passwordHash ?? (await this.#dummyHash);
    const matches = await this.#enqueue(origin, () => compare(password, comparedHash));
    return matches && passwordHash !== null && passwordHash !== undefined;
  }

  async #enqueue<Result>({ site, isKnown }: Origin = { site: '' }, work: () => Promise<Result>): Promise<Result> {
    const queue = isKnown ? this.#known : this.#unknown;
    if (this.#running >= this.#concurrency) await queue.wait(site);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The next caller takes over this slot.
      if (!this.#resolveNext()) this.#running -= 1;
    }
  }

  /** The queues take turns; one that is empty gives its turn to the other. */
  #resolveNext(): boolean {
    this.#queues.reverse();
    return this.#queues.some((queue) => queue.resolveNext());
  }
}
