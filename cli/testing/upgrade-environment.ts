import type { Environment } from '../src/environment.ts';
import { publicReleaseKey } from './release-files.ts';

interface Surroundings {
  readonly path: string;
  readonly configFolder: string;
  readonly mirrorUrl?: string;
  readonly key?: string;
}

/** The surroundings of a program of version 1.0.0 that trusts the key. */
export function upgradeEnvironment({
  path,
  configFolder,
  mirrorUrl = 'http://127.0.0.1:9',
  key = publicReleaseKey,
}: Surroundings) {
  return {
    variables: {},
    stdin: { isTerminal: false, async *[Symbol.asyncIterator]() {} },
    stdout: sink(),
    stderr: sink(),
    configFolder,
    build: { version: '1.0.0', mirror: { apiBaseUrl: mirrorUrl, projectPath: 'acme/cli' }, releaseKeys: [key] },
    executable: path,
    platform: { os: 'linux', arch: 'x64' },
    now: () => new Date('2026-11-18T12:00:00Z'),
    fetch: (input, init) => fetch(input, init),
  } satisfies Environment;
}

function sink() {
  return {
    text: '',
    isTerminal: false,
    columns: 80,
    write(data: string | Uint8Array) {
      this.text += String(data);
    },
  };
}
