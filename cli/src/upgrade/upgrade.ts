import { realpathSync } from 'node:fs';
import { developmentVersion } from '../build.ts';
import type { Environment } from '../environment.ts';
import { ExitError, exitCodes } from '../exit.ts';
import { readCheckFile, updateCheckFile, withNewest } from './check-file.ts';
import { type Choice, chooseRelease } from './choose-release.ts';
import { downloadProgram, requireAsset } from './download.ts';
import { isFromHomebrew } from './homebrew.ts';
import { printedVersion } from './probe.ts';
import { type Program, replaceProgram, rollBack } from './replace.ts';
import type { Releases, Sources } from './source.ts';
import { compareVersions } from './version.ts';

export interface UpgradeOptions {
  /** A version to install instead of the latest. */
  readonly target: string | undefined;
  readonly force: boolean;
  readonly dryRun: boolean;
  readonly allowHomebrew: boolean;
  readonly allowUnsigned: boolean;
  readonly sources: Sources;
  readonly startProgress: (title: string, total: number | undefined) => Progress;
}

interface Progress {
  add(bytes: number): void;
  end(): void;
}

/** The steps: find the release, refuse managed programs, find its file, download and verify it, extract it, replace. */
export async function upgrade(environment: Environment, options: UpgradeOptions): Promise<void> {
  const { build, stdout, stderr } = environment;
  const choice = await chooseRelease(environment, options);
  const { releases, release, isSigned } = choice;
  const reason = reasonToStay(build.version, options, choice);
  if (reason !== undefined) return stdout.write(`${reason}\n`);
  refuseHomebrew(environment, options.allowHomebrew);
  const asset = requireAsset(release, osName(environment), environment.platform.arch);
  if (!isSigned) stderr.write(`No known key has signed the release ${release.version}.\n`);
  const download = async () => {
    const progress = options.startProgress(`chowk ${release.version}`, asset.size);
    try {
      return await downloadProgram({ sources: options.sources, releases, asset, onData: progress.add });
    } finally {
      progress.end();
    }
  };
  if (options.dryRun) {
    await download();
    return stdout.write(`${asset.filename} is complete and verified. Nothing was changed.\n`);
  }
  const timeoutMs = options.sources.limits.probeMs;
  const program = await requireProgram(environment, timeoutMs);
  await replaceProgram(program, { version: release.version, timeoutMs }, download);
  remember(environment, releases);
  stdout.write(`Replaced chowk ${build.version} by ${release.version}. 'chowk upgrade --rollback' undoes it.\n`);
}

/** Returns to the version before the last upgrade. */
export async function rollBackUpgrade(
  environment: Environment,
  { allowHomebrew, timeoutMs }: { readonly allowHomebrew: boolean; readonly timeoutMs: number },
): Promise<void> {
  refuseHomebrew(environment, allowHomebrew);
  const program = await requireProgram(environment, timeoutMs);
  const version = await rollBack(program, { timeoutMs });
  updateCheckFile(environment.configFolder, { nudged_at: environment.now().toISOString() });
  environment.stdout.write(`Replaced chowk ${environment.build.version} by ${version}.\n`);
}

function reasonToStay(current: string, { target, force }: UpgradeOptions, { release }: Choice): string | undefined {
  const difference = compareVersions(release.version, current);
  if (difference === 0 && !force)
    return `chowk ${current} is ${target === undefined ? 'the latest version' : 'installed already'}.`;
  if (difference < 0 && target === undefined) {
    if (!force) return `chowk ${current} is newer than the latest release, ${release.version}.`;
    throw new ExitError(exitCodes.usage, `--force installs no older version. Use --target=${release.version}.`);
  }
  if (current !== developmentVersion || force) return undefined;
  throw new ExitError(
    exitCodes.general,
    `This is a development build. Use --force to replace it by ${release.version}.`,
  );
}

function refuseHomebrew({ executable }: Environment, allowHomebrew: boolean): void {
  if (allowHomebrew || !isFromHomebrew(executable)) return;
  throw new ExitError(
    exitCodes.general,
    "Homebrew manages this program: use 'brew upgrade chowk', or --allow-homebrew to replace it nevertheless.",
  );
}

/** The file of the running program. A program that is run from its sources has none that could be replaced. */
async function requireProgram(environment: Environment, timeoutMs: number): Promise<Program> {
  const binary = realpathSync(environment.executable);
  if ((await printedVersion(binary, timeoutMs)) !== undefined) return { binary, os: osName(environment) };
  throw new ExitError(exitCodes.general, `${binary} is not an installed chowk, so it cannot be replaced.`);
}

/** The user has just decided: no reminder soon, also not by the old program, which is still running. */
function remember({ configFolder, now }: Environment, { source, latest, minSupported }: Releases): void {
  const at = now().toISOString();
  const newest = withNewest(readCheckFile(configFolder), source, latest);
  updateCheckFile(configFolder, { ...newest, latest, min_supported: minSupported, checked_at: at, nudged_at: at });
}

function osName({ platform }: Environment): string {
  return platform.os === 'win32' ? 'windows' : platform.os;
}
