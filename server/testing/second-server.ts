import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openEmbedded } from '../src/db/embedded/embedded-server.ts';
import type { ServerAddress } from '../src/db/server-address.ts';

/** Starts another PostgreSQL server for this test file, without fsync. Hooks have no `afterAll`: they give `onEnd`. */
export async function startSecondServer(
  settings: Record<string, string> = {},
  onEnd: (close: () => Promise<void>) => void = afterAll,
): Promise<ServerAddress> {
  const storagePath = await mkdtemp(join(tmpdir(), 'chowk-second-'));
  const unsafe = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', shared_buffers: '128MB' };
  const server = await openEmbedded({ storagePath, onProgress: () => {}, settings: { ...unsafe, ...settings } });
  onEnd(async () => {
    await server.close();
    await rm(storagePath, { recursive: true, force: true });
  });
  return server.address;
}

/** As in `DATABASE_SERVERS`. The embedded server also listens on 127.0.0.1. */
export function serverUrl({ host, port, user, password }: ServerAddress): string {
  return `postgres://${user}:${encodeURIComponent(password)}@${host.startsWith('/') ? '127.0.0.1' : host}:${port}`;
}
