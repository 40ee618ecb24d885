import { availableParallelism } from 'node:os';
import type { Passwords } from '@chowk/kit';
import { compare, hash } from '@node-rs/bcrypt';
import { fail } from '../errors.ts';

/** More than this in line, and the last would wait longer than anyone does. */
const longestLine = 100;

/**
 * Bcrypt, off the event loop and few at a time: a storm of sign-ins waits for itself and leaves a core to everyone
 * else.
 */
export class BcryptPasswords implements Passwords {
  readonly #cost: number;
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #dummy: Promise<string> | undefined;

  constructor(cost: number, atOnce = Math.max(1, availableParallelism() - 1)) {
    this.#cost = cost;
    this.#atOnce = atOnce;
  }

  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(password, this.#cost));
  }

  async verify(password: string, known: string | null | undefined, admit?: () => void): Promise<boolean> {
    this.#dummy ??= hash('nobody has this password', this.#cost);
    const against = known ?? (await this.#dummy);
    const fits = await this.#inTurn(() => {
      admit?.();
      return compare(password, against);
    });
    return fits && known !== null && known !== undefined;
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#waiting.length >= longestLine) throw fail('auth.busy');
    if (this.#running >= this.#atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The turn goes to the next in line, or back.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
