import type { Environment } from '../environment.ts';
import { ExitError, exitCodes } from '../exit.ts';
import { newestSeen, readCheckFile } from './check-file.ts';
import type { Release } from './manifest.ts';
import { readReleases } from './releases.ts';
import { requireSignature } from './signature.ts';
import type { Releases, Sources } from './source.ts';
import { compareVersions } from './version.ts';

export interface Wish {
  readonly sources: Sources;
  /** Absent: the latest. */
  readonly target: string | undefined;
  readonly allowUnsigned: boolean;
}

export interface Choice {
  readonly releases: Releases;
  readonly release: Release;
  readonly isSigned: boolean;
}

/** A release with a signature that is trusted. */
export async function chooseRelease(environment: Environment, wish: Wish): Promise<Choice> {
  const { build, configFolder } = environment;
  const { sources, target, allowUnsigned } = wish;
  const releases = await readReleases(sources);
  if (target === undefined) refuseReplay(releases, newestSeen(readCheckFile(configFolder), releases.source));
  const version = target ?? releases.latest;
  const release = await releases.find(version);
  if (!release) throw new ExitError(exitCodes.server, `${releases.url.host} has no release ${version}.`);
  const isSigned = requireSignature(release, { keys: build.releaseKeys, allowUnsigned });
  warnIfUnsupported(environment, releases);
  return { releases, release, isSigned };
}

/** An attacker may send an old manifest, to keep users on a version with known faults. */
function refuseReplay({ latest, url }: Releases, seen: string | undefined): void {
  if (seen === undefined || compareVersions(latest, seen) >= 0) return;
  throw new ExitError(
    exitCodes.server,
    `${url.host} says that ${latest} is the latest version, but it has offered ${seen} before. If ${seen} was withdrawn, use --target=${latest}.`,
  );
}

function warnIfUnsupported({ build, stderr }: Environment, { minSupported, url }: Releases): void {
  if (minSupported === undefined || compareVersions(build.version, minSupported) >= 0) return;
  stderr.write(`chowk ${build.version} is no longer supported; ${url.host} supports ${minSupported} and newer.\n`);
}
