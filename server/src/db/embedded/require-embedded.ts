import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Throws if the folder has no embedded server: a command for a running platform must not start another one. */
export async function requireEmbedded(storagePath: string): Promise<void> {
  if (existsSync(join(storagePath, 'postgres', 'data', 'PG_VERSION'))) return;
  const running = await listRunning();
  const hint =
    running.length > 0
      ? `set STORAGE_PATH to that of the running platform (${running.join(' or ')})`
      : "set STORAGE_PATH to that of the platform, or run 'chowkd install' first";
  throw new Error(`there is no database in STORAGE_PATH ${storagePath}; ${hint}`);
}

/** The storage folders of the embedded servers that run on this machine, where the system tells. */
async function listRunning(): Promise<string[]> {
  const processes = await readdir('/proc').catch(() => []);
  const folders = await Promise.all(
    processes
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => {
        const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
        return /\0chowk\.home=([^\0]+)\/postgres\0/.exec(command)?.[1];
      }),
  );
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}
