import { setTimeout as pause } from 'node:timers/promises';
import type { ServerAddress } from '../server-address.ts';
import { ensureCluster } from './cluster.ts';
import { joinServer } from './join-server.ts';
import { stopPostmaster } from './postmaster.ts';
import { prepareServerDirectory } from './server-directory.ts';

export interface EmbeddedServer {
  /** Changes only if the server died and its port was taken before it could be restarted. */
  readonly address: ServerAddress;
  /** Releases the server; the last process stops it. */
  close(): Promise<void>;
}

export interface EmbeddedOptions {
  /** The server is kept in the directory `postgres` below this one. */
  readonly storagePath: string;
  /** Receives short lines for the operator. */
  readonly onProgress: (line: string) => void;
  /** Settings that override the defaults if this process starts the server. */
  readonly settings?: Readonly<Record<string, string>>;
}

const maxBackoffMs = 30_000;

/**
 * One PostgreSQL server per storage folder, shared by every process that opens it. The first process starts it and the
 * last one stops it. If its processes are killed, the server goes on and the next process leases it.
 *
 * 1. server-directory: the directory and, for root, the account and the binaries it can execute
 * 2. cluster: the password and the data directory, created once
 * 3. join-server: find a running server (postmaster), start one (start-postmaster), lease it (server-lease)
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  try {
    return await open(options);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new Error(
      `The embedded PostgreSQL cannot use ${options.storagePath}/postgres (${error.message}): ` +
        'give chowkd access to it, choose another STORAGE_PATH, or set DATABASE_URL.',
      { cause: error },
    );
  }
}

async function open({ storagePath, onProgress, settings = {} }: EmbeddedOptions): Promise<EmbeddedServer> {
  const closing = new AbortController();
  const { signal } = closing;
  const directory = await prepareServerDirectory(storagePath);
  const password = await ensureCluster(directory, { onProgress, durable: settings.fsync !== 'off' });
  const options = { directory, password, settings, onProgress, signal };

  let joined = await joinServer(options);
  let rejoining = Promise.resolve();

  function rejoinWhenLost(): void {
    void joined.lease.lost.then(() => {
      if (!signal.aborted) rejoining = rejoin();
    });
  }

  async function rejoin(): Promise<void> {
    for (let wait = 250; !signal.aborted; wait = Math.min(wait * 2, maxBackoffMs)) {
      try {
        joined = await joinServer(options, joined.address.port);
        return rejoinWhenLost();
      } catch {
        await pause(wait, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }

  async function close(): Promise<void> {
    closing.abort();
    await rejoining;
    if (await joined.lease.release()) await stopPostmaster(directory.path, onProgress);
    await joined.lease.close();
  }

  rejoinWhenLost();
  let closed: Promise<void> | undefined;
  return {
    get address() {
      return joined.address;
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}
