import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TokenStore, Tokens } from '@chowk/client';
import type { Environment } from '../environment.ts';
import { withFileLock } from '../file-lock.ts';
import { writeAtomically } from './write-atomically.ts';

/** By the address of a platform. */
type TokenFile = Readonly<Record<string, Tokens>>;

/** The tokens of a platform in `tokens.json`. Processes that refresh them at once share one refresh. */
export function fileTokens({ configFolder }: Environment, apiUrl: string): TokenStore {
  const path = join(configFolder, 'tokens.json');
  const change = async (edit: (file: TokenFile) => TokenFile) => {
    await mkdir(configFolder, { recursive: true, mode: 0o700 });
    await writeAtomically(path, `${JSON.stringify(edit(await readTokenFile(path)), null, 2)}\n`);
  };
  return {
    get: async () => (await readTokenFile(path))[apiUrl],
    set: (tokens) => change((file) => ({ ...file, [apiUrl]: tokens })),
    clear: () => change(({ [apiUrl]: _, ...others }) => others),
    async lock(run) {
      await mkdir(configFolder, { recursive: true, mode: 0o700 });
      return withFileLock(join(configFolder, 'tokens.lock'), run);
    },
  };
}

async function readTokenFile(path: string): Promise<TokenFile> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    // Without valid tokens the user signs in again.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
