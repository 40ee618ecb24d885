import { setTimeout as pause } from 'node:timers/promises';
import type { ServerAddress } from '../server-address.ts';
import { ensureCluster } from './cluster.ts';
import { enter } from './entry.ts';
import { prepareHome } from './home.ts';
import { stopPostmaster } from './postmaster.ts';

export interface EmbeddedServer {
  /** Does not change, unless the server died and its port was taken before it could be started again. */
  readonly address: ServerAddress;
  /** Leaves the server; the last user of it stops it. */
  close(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Everything is kept in the folder `postgres` below this one. */
  readonly storagePath: string;
  /** Told of progress, in short lines for people. */
  readonly say: (line: string) => void;
  /** Server settings that replace ours when it is us who start the server. */
  readonly settings?: Readonly<Record<string, string>>;
}

const longestBackoffMs = 30_000;

/**
 * One PostgreSQL server for a storage folder, shared by every process that opens it. The first one in starts it, the
 * last one out stops it, and nobody owns it: a server whose user was killed is taken over by the next one.
 *
 * 1. embedded-home: the folder; when we are root, the account to run as and the binaries it can reach
 * 2. embedded-cluster: the password and the data folder, made once
 * 3. embedded-entry: look for a server (embedded-postmaster), start one (embedded-launch), join it (embedded-keeper)
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

async function open({ storagePath, say, settings = {} }: EmbeddedOptions): Promise<EmbeddedServer> {
  const closing = new AbortController();
  const { signal } = closing;
  const home = await prepareHome(storagePath);
  const password = await ensureCluster(home, { say, durable: settings.fsync !== 'off' });
  const visit = { home, password, settings, say, signal };

  let stay = await enter(visit);
  let returning = Promise.resolve();

  /** A lost connection is taken up again, with a new server if the old one is gone. */
  function watch(): void {
    void stay.keeper.lost.then(() => {
      if (!signal.aborted) returning = comeBack();
    });
  }

  async function comeBack(): Promise<void> {
    for (let wait = 250; !signal.aborted; wait = Math.min(wait * 2, longestBackoffMs)) {
      try {
        stay = await enter(visit, stay.address.port);
        return watch();
      } catch {
        await pause(wait, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }

  async function leave(): Promise<void> {
    closing.abort();
    await returning;
    if (await stay.keeper.leave()) await stopPostmaster(home.folder, say);
    await stay.keeper.end();
  }

  watch();
  let left: Promise<void> | undefined;
  return {
    get address() {
      return stay.address;
    },
    close: () => {
      left ??= leave();
      return left;
    },
  };
}
