import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { node, type Running, repository, type Stage } from './stage.ts';

/** A running `bench/server/serve.ts`. */
export interface Platform extends Pick<Running, 'stop'> {
  readonly pid: number;
  readonly port: number;
  /** The token of a user who is a member of every tenant. */
  readonly token: string;
  /** The sign-in of the same user. */
  readonly credentials: { readonly email: string; readonly password: string };
  readonly database: { readonly host: string; readonly port: number; readonly user: string; readonly password: string };
  readonly central: string;
  headers(tenant: string): Record<string, string>;
  /** `headers` have a new token afterwards: one is valid for 15 minutes. */
  signIn(): Promise<void>;
  get<Body>(path: string, headers?: Record<string, string>): Promise<Body>;
  post<Body>(path: string, body: object, headers?: Record<string, string>): Promise<Body>;
}

export interface PlatformOptions {
  readonly storagePath: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Without fsync: for preparing data, never for measuring. */
  readonly unsafe?: boolean;
  /** Options of Node. */
  readonly flags?: readonly string[];
  /** The checkout to start; default: this one. */
  readonly checkout?: string;
}

export async function startPlatform(stage: Stage, options: PlatformOptions): Promise<Platform> {
  const { storagePath, environment = {}, unsafe = false, flags = [], checkout = repository } = options;
  const running = stage.start(node, [...flags, programIn(checkout), ...(unsafe ? ['--unsafe'] : [])], {
    APP_ENV: 'production',
    PORT: '0',
    STORAGE_PATH: storagePath,
    RATE_LIMIT_PER_MINUTE: '10000000',
    GRAPHQL_COST_PER_MINUTE: '0',
    ...environment,
  });
  const address: Omit<Platform, 'headers' | 'signIn' | 'get' | 'post' | 'stop'> = JSON.parse(await running.firstLine());
  const request = async <Body>(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<Body> => {
    const response = await fetch(`http://127.0.0.1:${address.port}${path}`, {
      method,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<Body>;
  };
  let { token } = address;
  return {
    ...address,
    stop: running.stop,
    headers: (tenant) => ({ authorization: `Bearer ${token}`, 'x-tenant': tenant }),
    async signIn() {
      token = (await request<{ access_token: string }>('POST', '/api/v1/auth/login', {}, address.credentials))
        .access_token;
    },
    get: (path, headers = {}) => request('GET', path, headers),
    post: (path, body, headers = {}) => request('POST', path, headers, body),
  };
}

/** Older checkouts keep the program with the tests of the server. */
function programIn(checkout: string): string {
  const program = join(checkout, 'bench/server/serve.ts');
  return existsSync(program) ? program : join(checkout, 'server/testing/serve-for-bench.ts');
}

/** Calls `work` for each item, `parallel` at a time. */
export async function inParallel<Item>(
  items: readonly Item[],
  parallel: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}
