import type { Api, Credentials, User } from './api.ts';
import type { CallOptions } from './call.ts';
import { ChowkError } from './errors.ts';
import { type Fields, prepare } from './request.ts';
import { routes } from './routes.ts';
import { send } from './send.ts';
import { Session } from './session.ts';
import { memoryTokens, type TokenResponse, type TokenStore, toTokens } from './tokens.ts';

export type * from './api.ts';
export type { Call, CallOptions, ListCall } from './call.ts';
export { ChowkError, type FieldError, NetworkError, TimeoutError } from './errors.ts';
export * from './limits.ts';
export { type PusherOptions, pusherOptions } from './pusher-options.ts';
export { newKey } from './send.ts';
export { memoryTokens, parseUserId, type TokenResponse, type TokenStore, type Tokens, toTokens } from './tokens.ts';

const maxReconnectPauseMs = 10_000;

/** Options of all calls; a call may have others. */
export interface ClientOptions extends Omit<CallOptions, 'signal' | 'idempotencyKey'> {
  /** The address of the tenant or of the platform. Default in a browser: the origin of the page. */
  readonly url?: string | undefined;
  /** The id or a domain of the tenant, if the address does not name it. */
  readonly tenant?: string | undefined;
  /** Where tokens are kept. Default: in memory. */
  readonly tokens?: TokenStore | undefined;
  /** An API client, for programs on a server: its tokens are requested with its secret. */
  readonly apiClient?: { readonly id: string; readonly secret: string } | undefined;
  /** Generates a key for every POST. */
  readonly idempotencyKey?: true | undefined;
}

export type SignIn =
  | { readonly signedIn: true; readonly user: User }
  /** The password is correct: repeat the call with `otp`. */
  | { readonly signedIn: false; readonly reason: 'two_factor_required' };

export interface Client extends Api {
  /** Signs in and keeps the tokens. Wrong credentials are a `ChowkError` with status 422. */
  signIn(credentials: Credentials, options?: CallOptions): Promise<SignIn>;
  /** Keeps the tokens of a response other than that of signing in, such as `invitations.accept`. */
  keepTokens(response: TokenResponse): Promise<void>;
  /** Forgets the tokens and ends the session. */
  signOut(options?: CallOptions): Promise<void>;
  /**
   * Calls an action that this version of the client does not know, by a line as in the table of routes: `GET things/:id`. With
   * a third word `file` the result is the `Response`.
   */
  send(route: string, input?: Fields, options?: CallOptions): Promise<unknown>;
  /** The options of the library graphql-ws, for subscriptions with the tenant and the tokens of this client. */
  subscriptionOptions(): SubscriptionOptions;
}

export interface SubscriptionOptions {
  readonly url: string;
  connectionParams(): Promise<Record<string, string>>;
  readonly retryAttempts: number;
  shouldRetry(): boolean;
  retryWait(retries: number): Promise<void>;
}

/** A client with a function for each action: `createClient({ url }).orders.create({ … })`. */
export function createClient({ tokens = memoryTokens(), apiClient, ...common }: ClientOptions = {}): Client {
  const createSend =
    (session?: Session): SendRoute =>
    async (route, input = {}, { headers, ...own } = {}) => {
      const options = { ...common, ...own, headers: { ...common.headers, ...headers }, session };
      return send(prepare(route, input), options);
    };
  const anonymous = createCalls(createSend());
  const session = new Session(tokens, `chowk ${common.url}`, async (current) => {
    if (apiClient) {
      const { id: client_id, secret: client_secret } = apiClient;
      return toTokens(await anonymous.oauth.token({ grant_type: 'client_credentials', client_id, client_secret }));
    }
    const refresh_token = current?.refreshToken;
    return refresh_token === undefined ? undefined : toTokens(await anonymous.auth.refresh({ refresh_token }));
  });
  const sendSignedIn = createSend(session);
  return {
    ...createCalls(sendSignedIn),
    send: sendSignedIn,
    async signIn(credentials, options) {
      try {
        const { user, ...answer } = await anonymous.auth.login(credentials, options);
        await session.replace(toTokens(answer));
        return { signedIn: true, user };
      } catch (error) {
        if (!(error instanceof ChowkError) || error.code !== 'identity.two_factor_required') throw error;
        return { signedIn: false, reason: 'two_factor_required' };
      }
    },
    keepTokens: (response) => session.replace(toTokens(response)),
    async signOut(options) {
      const { refreshToken: refresh_token } = (await session.end()) ?? {};
      if (refresh_token !== undefined) await anonymous.auth.logout({ refresh_token }, options);
    },
    subscriptionOptions() {
      const { location } = globalThis as { location?: { origin: string } };
      const { url = location?.origin ?? '', tenant } = common;
      return {
        url: `${url.replace(/^http/, 'ws').replace(/\/$/, '')}/api/v1/graphql`,
        async connectionParams() {
          const token = await session.accessToken();
          return {
            ...(token !== undefined && { Authorization: `Bearer ${token}` }),
            ...(tenant !== undefined && { 'X-Tenant': tenant }),
          };
        },
        retryAttempts: Number.POSITIVE_INFINITY,
        // Otherwise graphql-ws gives up when it cannot connect, for instance while the platform restarts.
        shouldRetry: () => true,
        // Its own pauses double without end.
        retryWait: (retries) =>
          new Promise((resolve) => {
            setTimeout(resolve, Math.random() * Math.min(1_000 * 2 ** retries, maxReconnectPauseMs));
          }),
      };
    },
  };
}

type SendRoute = (route: string, input?: Fields, options?: CallOptions) => Promise<unknown>;

/** A function for each line of the table of routes, with `all` for lists. */
function createCalls(send: SendRoute): Api {
  const createCall = (route: string) => {
    const call = (input: Fields = {}, options?: CallOptions) => send(route, input, options);
    const all = (input?: Fields, options?: CallOptions) => everyRecord(call, input, options);
    return Object.assign(call, { all });
  };
  const createArea = (area: Readonly<Record<string, string>>) => mapValues(area, createCall);
  return mapValues(routes, createArea) as unknown as Api;
}

function mapValues<Value, Result>(record: Readonly<Record<string, Value>>, map: (value: Value) => Result) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

async function* everyRecord(
  call: (input: Fields, options?: CallOptions) => Promise<unknown>,
  input?: Fields,
  options?: CallOptions,
) {
  let cursor: string | null | undefined;
  do {
    const { pagination, ...page } = (await call({ ...input, limit: 100, cursor }, options)) as Page;
    yield* Object.values(page).find(Array.isArray) ?? [];
    cursor = pagination.has_more ? pagination.next_cursor : null;
  } while (cursor);
}

interface Page {
  readonly pagination: { readonly next_cursor: string | null; readonly has_more: boolean };
  readonly [list: string]: unknown;
}
