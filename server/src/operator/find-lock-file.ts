import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { lockPath, repository, ringLockFile, ringLockPath } from '../loader/lock-path.ts';
import { requireRing } from '../tenancy/rings.ts';
import type { CommandInput, Session } from './command.ts';

/** The lock file of a ring. Reads the database only for another ring whose lock file is elsewhere. */
export async function findLockFile(
  { config, kernel }: Session,
  ring: CommandInput['options'][string] = config.ringName,
): Promise<string> {
  if (ring === config.ringName) return resolve(repository, lockPath(config));
  const usual = resolve(repository, ringLockPath(String(ring)));
  if (existsSync(usual)) return usual;
  const { central } = await kernel({ modules: [] });
  return ringLockFile(config, await requireRing(central.db, String(ring)));
}
