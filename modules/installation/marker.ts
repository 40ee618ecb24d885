import { randomUUID } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Db, type SystemCtx, sql } from '@chowk/kit';

/** The content of the marker file and of the row `installed` in `platform_settings`. */
export interface Marker {
  readonly installed_at: string;
  readonly version: string;
}

function markerFile({ system }: SystemCtx): string {
  return join(system.storagePath, 'installed');
}

export async function hasMarker(ctx: SystemCtx): Promise<boolean> {
  try {
    await stat(markerFile(ctx));
    return true;
  } catch (error) {
    // Any other error does not say whether the file exists.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Writes the marker file of an installation that is complete in the database. After a concurrent reset it is removed
 * again: a marker file without data would lock everyone out.
 */
export async function writeMarker(ctx: SystemCtx): Promise<void> {
  const marker = await installedRow(ctx.central);
  if (!marker) return;
  const { installed_at, version } = marker;
  await replaceFile(markerFile(ctx), `${JSON.stringify({ installed_at, version })}\n`);
  let isStillInstalled = false;
  try {
    isStillInstalled = (await installedRow(ctx.central))?.installed_at === installed_at;
  } finally {
    if (!isStillInstalled) await removeMarker(ctx);
  }
}

export async function removeMarker(ctx: SystemCtx): Promise<void> {
  await rm(markerFile(ctx), { force: true });
}

/** In the transaction that creates the owner. */
export async function writeInstalledRow(db: Db, marker: Marker): Promise<void> {
  await db.run(sql`
    INSERT INTO platform_settings (key, value) VALUES ('installed', ${JSON.stringify(marker)})
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = now()`);
}

async function installedRow(central: Db): Promise<Marker | undefined> {
  const row = await central.row<{ value: Marker }>(sql`SELECT value FROM platform_settings WHERE key = 'installed'`);
  return row?.value;
}

/** Writes the file atomically and durably. */
async function replaceFile(file: string, content: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    const handle = await open(draft, 'wx', 0o644);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
