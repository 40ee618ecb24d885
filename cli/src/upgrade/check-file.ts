import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions, isVersion } from './version.ts';

/** What `upgrade-check.json` remembers. Times are ISO 8601. */
export interface CheckFile {
  /** When the latest version was asked for successfully. */
  readonly checked_at?: string | undefined;
  /** When a check was last started. */
  readonly attempted_at?: string | undefined;
  readonly latest?: string | undefined;
  readonly min_supported?: string | undefined;
  /** When the user was last told. */
  readonly nudged_at?: string | undefined;
  /** The newest version that each channel has offered. */
  readonly newest?: Readonly<Record<string, string>> | undefined;
}

/** Anything that cannot be read counts as absent. */
export function readCheckFile(configFolder: string): CheckFile {
  try {
    const value: unknown = JSON.parse(readFileSync(path(configFolder), 'utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** A reader gets the old or the new content. Returns whether it could be written: nothing depends on it. */
export function updateCheckFile(configFolder: string, changes: CheckFile): boolean {
  const file = path(configFolder);
  const temporary = `${file}.${process.pid}`;
  try {
    mkdirSync(configFolder, { recursive: true, mode: 0o700 });
    writeFileSync(temporary, `${JSON.stringify({ ...readCheckFile(configFolder), ...changes }, null, 2)}\n`, {
      mode: 0o600,
    });
    renameSync(temporary, file);
    return true;
  } catch {
    return false;
  }
}

/** The newest version that the channel has offered before. */
export function newestSeen({ newest }: CheckFile, source: string): string | undefined {
  const version = newest?.[source];
  return isVersion(version) ? version : undefined;
}

export function withNewest(file: CheckFile, source: string, version: string): CheckFile {
  const seen = newestSeen(file, source);
  const newest = seen !== undefined && compareVersions(seen, version) > 0 ? seen : version;
  return { newest: { ...file.newest, [source]: newest } };
}

function path(configFolder: string): string {
  return join(configFolder, 'upgrade-check.json');
}
