/** What the release injects when it compiles the program (`bun build --compile --define …`). */
declare const CHOWK_VERSION: string | undefined;
declare const CHOWK_API_BASE_URL: string | undefined;
declare const CHOWK_PROJECT_PATH: string | undefined;
declare const CHOWK_RELEASE_KEYS: string | undefined;

/** A development build, which checks for no updates. */
export const developmentVersion = '0.0.0-dev';

export const build = {
  version: typeof CHOWK_VERSION === 'string' ? CHOWK_VERSION : developmentVersion,
  /** The mirror of releases: `APIBaseURL` and `ProjectPath`. There is no other way to change it. */
  mirror: {
    apiBaseUrl: typeof CHOWK_API_BASE_URL === 'string' ? CHOWK_API_BASE_URL : 'https://gitlab.com/api/v4',
    projectPath: typeof CHOWK_PROJECT_PATH === 'string' ? CHOWK_PROJECT_PATH : 'chowk/cli',
  },
  /** Ed25519 public keys that sign releases, in base64. */
  releaseKeys: typeof CHOWK_RELEASE_KEYS === 'string' ? CHOWK_RELEASE_KEYS.split(',').filter((key) => key !== '') : [],
};
export type Build = typeof build;
