import { ChowkError } from './errors.ts';
import type { TokenStore, Tokens } from './tokens.ts';

/** Requests the next tokens. `undefined`: these cannot be renewed. */
type Renew = (tokens: Tokens | undefined) => Promise<Tokens | undefined>;

/** A token that expires so soon may be too old when it arrives. */
const marginMs = 10_000;

/**
 * Keeps the tokens valid. A refresh token can be used only once, so at most one request renews them: callers wait for it,
 * and other tabs and processes too, with the lock of the store or of the browser.
 */
export class Session {
  readonly #store: TokenStore;
  readonly #lockName: string;
  readonly #renew: Renew;
  #renewal: Promise<Tokens | undefined> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: TokenStore, lockName: string, renew: Renew) {
    this.#store = store;
    this.#lockName = lockName;
    this.#renew = renew;
  }

  /** The token for the next request, renewed if it has expired. `undefined`: nobody is signed in. */
  async accessToken(): Promise<string | undefined> {
    const tokens = await this.#store.get();
    const isValid = tokens && Date.now() < (tokens.expiresAt ?? Number.POSITIVE_INFINITY) - marginMs;
    return isValid ? tokens.accessToken : this.tokenAfter(tokens?.accessToken);
  }

  /** The token to use instead of one that has expired or was refused. */
  async tokenAfter(stale: string | undefined): Promise<string | undefined> {
    this.#renewal ??= this.#exclusively(() => this.#renewOnce(stale)).finally(() => {
      this.#renewal = undefined;
    });
    return (await this.#renewal)?.accessToken;
  }

  replace(tokens: Tokens): Promise<void> {
    return this.#exclusively(async () => this.#store.set(tokens));
  }

  /** Forgets the tokens and returns them. */
  end(): Promise<Tokens | undefined> {
    return this.#exclusively(async () => {
      const tokens = await this.#store.get();
      await this.#store.clear();
      return tokens;
    });
  }

  async #renewOnce(stale: string | undefined): Promise<Tokens | undefined> {
    const tokens = await this.#store.get();
    // Renewed in the meantime.
    if (tokens?.accessToken !== stale) return tokens;
    try {
      const next = await this.#renew(tokens);
      if (next) await this.#store.set(next);
      return next ?? tokens;
    } catch (error) {
      const hasEnded = error instanceof ChowkError && error.code === 'identity.bad_refresh_token';
      if (!hasEnded) throw error;
      // Without a lock, another tab may have renewed them at the same time.
      const latest = await this.#store.get();
      if (latest?.refreshToken !== tokens?.refreshToken) return latest;
      await this.#store.clear();
      return undefined;
    }
  }

  /** Runs one function after the other, so that none overwrites the tokens of another. */
  #exclusively<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#store.lock?.(run) ?? this.#lockInBrowser(run) ?? this.#last.then(run, run);
    this.#last = result.catch(() => {});
    return result;
  }

  #lockInBrowser<Result>(run: () => Promise<Result>): Promise<Result> | undefined {
    if (this.#store.isPrivate) return undefined;
    return globalThis.navigator?.locks?.request(this.#lockName, run) as Promise<Result> | undefined;
  }
}
