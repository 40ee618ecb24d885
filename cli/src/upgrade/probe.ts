import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ExitError, exitCodes } from '../exit.ts';
import { isVersion } from './version.ts';

const run = promisify(execFile);

export interface Probe {
  readonly program: string;
  /** Absent: any. */
  readonly version?: string | undefined;
  readonly timeoutMs: number;
}

/** Runs a program and returns the version that it prints. */
export async function probe({ program, version, timeoutMs }: Probe): Promise<string> {
  const printed = await printedVersion(program, timeoutMs);
  if (printed !== undefined && (version === undefined || printed === version)) return printed;
  const problem = printed === undefined ? 'does not run here' : `says that it is ${printed}`;
  throw new ExitError(exitCodes.server, `The new program ${problem}. The present version stays in place.`);
}

/** `undefined` if it is not a chowk that runs. */
export async function printedVersion(program: string, timeoutMs: number): Promise<string | undefined> {
  const env = { ...process.env, SERVICE_NO_UPGRADE_CHECK: '1' };
  const options = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: 10_000, env } as const;
  const output = await run(program, ['version'], options).catch(() => undefined);
  const [, version] = /^chowk (\S+)\s*$/.exec(output?.stdout ?? '') ?? [];
  return isVersion(version) ? version : undefined;
}
