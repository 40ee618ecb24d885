import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { developmentVersion } from '../build.ts';
import type { CommandInput } from '../command.ts';
import type { Environment } from '../environment.ts';
import { type CheckFile, readCheckFile, updateCheckFile } from './check-file.ts';
import { isFromHomebrew } from './homebrew.ts';
import { compareVersions, isVersion } from './version.ts';

const hourMs = 3_600_000;
/** For how long a result is used. */
const cachedMs = 24 * hourMs;
/** The pause after a check that failed. */
const retryMs = hourMs;
const nudgeMs = 6 * hourMs;

/** Tells the child that it is the check. */
export const childVariable = 'CHOWK_BACKGROUND_CHECK';

/**
 * After a command: says in one line that there is a newer version, if that is known, and lets another process find out if it has
 * not been asked for long. This one does not wait for it.
 */
export function startBackgroundCheck(environment: Environment, options: CommandInput['options'] = {}): void {
  try {
    if (isWanted(environment)) remindAndCheck(environment, options);
  } catch {
    // The command has succeeded: whatever fails here is of no interest to the user.
  }
}

function remindAndCheck(environment: Environment, options: CommandInput['options']): void {
  const { configFolder, now } = environment;
  const time = now();
  const file = readCheckFile(configFolder);
  const isSilent = options.quiet === true || !isOver(file.nudged_at, nudgeMs, time);
  const nudge = isSilent ? undefined : nudgeText(environment, file);
  const isDue = isOver(file.checked_at, cachedMs, time) && isOver(file.attempted_at, retryMs, time);
  if (nudge === undefined && !isDue) return;
  const at = time.toISOString();
  // Without a note of it, the next command would do the same again.
  const isNoted = updateCheckFile(configFolder, {
    ...(nudge === undefined ? {} : { nudged_at: at }),
    ...(isDue ? { attempted_at: at } : {}),
  });
  if (!isNoted) return;
  if (nudge !== undefined) environment.stderr.write(`${nudge}\n`);
  if (isDue) startChild(environment, options);
}

function isWanted({ build, variables, stdout, stderr, configFolder }: Environment): boolean {
  if (build.version === developmentVersion || variables.SERVICE_NO_UPGRADE_CHECK === '1') return false;
  if (!stdout.isTerminal || !stderr.isTerminal) return false;
  try {
    return JSON.parse(readFileSync(join(configFolder, 'config.json'), 'utf8')).no_telemetry !== true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** A time that cannot be read, or that is in the future because a clock was wrong, counts as over. */
function isOver(at: string | undefined, forMs: number, now: Date): boolean {
  const age = now.getTime() - Date.parse(at ?? '');
  return !(age >= 0 && age < forMs);
}

function nudgeText({ build, executable }: Environment, { latest, min_supported }: CheckFile): string | undefined {
  if (!isVersion(latest) || compareVersions(latest, build.version) <= 0) return undefined;
  const command = isFromHomebrew(executable) ? 'brew upgrade chowk' : 'chowk upgrade';
  const isUnsupported = isVersion(min_supported) && compareVersions(build.version, min_supported) < 0;
  const news = isUnsupported ? `chowk ${build.version} is no longer supported` : 'A new version of chowk is available';
  return `${news}: ${build.version} → ${latest}. Install it with '${command}'.`;
}

/** Asks the platform and the tenant of the command. */
function startChild({ executable, variables }: Environment, options: CommandInput['options']): void {
  const env = { ...variables, [childVariable]: '1', SERVICE_NO_UPGRADE_CHECK: '1' };
  const target = ['api-url', 'tenant'].flatMap((name) =>
    typeof options[name] === 'string' ? [`--${name}=${options[name]}`] : [],
  );
  const child = spawn(executable, ['upgrade', '--check', ...target], {
    detached: true,
    stdio: 'ignore',
    env,
    windowsHide: true,
  });
  child.on('error', () => {});
  child.unref();
}
