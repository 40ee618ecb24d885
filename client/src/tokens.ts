export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** In milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
}

/** Where the tokens of a session are kept. */
export interface TokenStore {
  get(): Tokens | undefined | Promise<Tokens | undefined>;
  set(tokens: Tokens): void | Promise<void>;
  /** The user has signed out, or the session has ended. */
  clear(): void | Promise<void>;
  /** No other tab or process has these tokens. Default: they may, and refresh them one at a time. */
  readonly isPrivate?: boolean;
  /** Runs one function at a time, in all processes that share the store. Default: the lock of the browser, if there is one. */
  lock?<Result>(run: () => Promise<Result>): Promise<Result>;
}

/** Keeps the tokens in memory. A personal access token is `memoryTokens({ accessToken: 'chowk_pat_…' })`. */
export function memoryTokens(initial?: Tokens): TokenStore {
  let current = initial;
  return {
    isPrivate: true,
    get: () => current,
    set: (tokens) => {
      current = tokens;
    },
    clear: () => {
      current = undefined;
    },
  };
}

/** The user of an access token, if it is a JSON Web Token. */
export function parseUserId(accessToken: string | undefined): string | undefined {
  try {
    const payload = accessToken?.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/');
    return payload && JSON.parse(atob(payload)).sub;
  } catch {
    return undefined;
  }
}

export interface TokenResponse {
  readonly access_token: string;
  readonly expires_in: number;
  readonly refresh_token?: string | undefined;
}

/** The tokens of a response, such as that of `oauth.token`, for a store. */
export function toTokens({ access_token, refresh_token, expires_in }: TokenResponse): Tokens {
  return { accessToken: access_token, refreshToken: refresh_token, expiresAt: Date.now() + expires_in * 1000 };
}
