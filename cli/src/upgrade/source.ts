import { ExitError, exitCodes } from '../exit.ts';
import type { UpgradeLimits } from './limits.ts';
import { type Manifest, ManifestError, type Release, readManifest } from './manifest.ts';

/** The platform of the configuration. */
export interface Platform {
  readonly url: string;
  readonly tenant: string | undefined;
  /** Identify the user and the tenant. */
  readonly headers: Readonly<Record<string, string>>;
  /** Nothing configures it: it is where a platform would be on this computer. */
  readonly isGuess?: boolean;
}

export interface Mirror {
  readonly apiBaseUrl: string;
  readonly projectPath: string;
}

/** Where to look for releases, and how. */
export interface Sources {
  readonly fetch: typeof fetch;
  readonly limits: UpgradeLimits;
  readonly platform: Platform | undefined;
  readonly mirror: Mirror;
}

/** The releases of a channel. */
export interface Releases {
  /** Identifies the channel. */
  readonly source: string;
  /** Addresses of files are relative to this one, and its origin gets the headers. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly latest: string;
  readonly minSupported: string | undefined;
  find(version: string): Promise<Release | undefined>;
}

export function parseManifest(host: string, text: string): Manifest {
  try {
    return readManifest(text);
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    const message = `The release manifest of ${host} ${error.message}. Tell the operator of the platform.`;
    throw new ExitError(exitCodes.server, message, { cause: error });
  }
}

/** A response of a source that is no list of releases. */
export function refusal(host: string, status: number): ExitError {
  const isRefused = status >= 400 && status < 500 && status !== 404;
  return isRefused
    ? new ExitError(exitCodes.refused, `${host} refuses to list releases (status ${status}). Check 'chowk whoami'.`)
    : new ExitError(exitCodes.server, `${host} cannot list releases (status ${status}). Try again later.`);
}
