import { join } from 'node:path';
import { node, type Running, repository, type Stage } from './stage.ts';

/** A platform in a process of its own; see `server/testing/serve-for-bench.ts`. */
export interface Platform extends Pick<Running, 'stop'> {
  readonly pid: number;
  readonly port: number;
  /** Proves a caller that is a member of every tenant. */
  readonly token: string;
  /** What the same caller signs in with. */
  readonly credentials: { readonly email: string; readonly password: string };
  readonly database: { readonly host: string; readonly port: number; readonly user: string; readonly password: string };
  readonly central: string;
  headers(tenant: string): Record<string, string>;
  get<Answer>(path: string, headers?: Record<string, string>): Promise<Answer>;
  post<Answer>(path: string, body: object, headers?: Record<string, string>): Promise<Answer>;
}

export interface PlatformOptions {
  readonly storagePath: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Without the fsyncs that only a crash would miss: for setting up, never for measuring. */
  readonly unsafe?: boolean;
  /** For Node itself. */
  readonly flags?: readonly string[];
  /** Another checkout, to be measured beside this one. */
  readonly checkout?: string;
}

export async function startPlatform(stage: Stage, options: PlatformOptions): Promise<Platform> {
  const { storagePath, environment = {}, unsafe = false, flags = [], checkout = repository } = options;
  const program = join(checkout, 'server/testing/serve-for-bench.ts');
  const running = stage.start(node, [...flags, program, ...(unsafe ? ['--unsafe'] : [])], {
    APP_ENV: 'production',
    STORAGE_PATH: storagePath,
    RATE_LIMIT_PER_MINUTE: '10000000',
    ...environment,
  });
  const facts: Omit<Platform, 'headers' | 'get' | 'post' | 'stop'> = JSON.parse(await running.firstLine());
  const request = async <Answer>(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<Answer> => {
    const answer = await fetch(`http://127.0.0.1:${facts.port}${path}`, {
      method,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json() as Promise<Answer>;
  };
  return {
    ...facts,
    stop: running.stop,
    headers: (tenant) => ({ authorization: `Bearer ${facts.token}`, 'x-tenant': tenant }),
    get: (path, headers = {}) => request('GET', path, headers),
    post: (path, body, headers = {}) => request('POST', path, headers, body),
  };
}

/** Calls `work` for each item, so many at a time. */
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
