import type { Environment } from '../environment.ts';
import { readCheckFile, updateCheckFile, withNewest } from './check-file.ts';
import { chooseRelease, type Wish } from './choose-release.ts';

/** Notes the latest version for the next commands: what the process does that `startBackgroundCheck` starts. */
export async function recordLatest(environment: Environment, wish: Wish): Promise<void> {
  const { configFolder, now } = environment;
  const { releases } = await chooseRelease(environment, wish);
  const { source, latest, minSupported } = releases;
  const newest = withNewest(readCheckFile(configFolder), source, latest);
  updateCheckFile(configFolder, { ...newest, latest, min_supported: minSupported, checked_at: now().toISOString() });
}
