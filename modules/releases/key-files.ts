import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SystemServices } from '@chowk/kit';
import { type SigningKey, signingKey } from './signature.ts';

function folder({ storagePath }: SystemServices): string {
  return join(storagePath, 'release-keys');
}

/** The keys of the publisher on this machine, the newest last. */
export async function readKeys(system: SystemServices): Promise<SigningKey[]> {
  const names = await readdir(folder(system)).catch(() => []);
  const files = names.filter((name) => name.endsWith('.pem')).sort();
  return Promise.all(files.map((name) => readKey(join(folder(system), name))));
}

export async function readKey(file: string): Promise<SigningKey> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the key ${file} cannot be read (${error.code})`);
  });
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'ed25519') return signingKey(key);
  } catch {
    // Reported below.
  }
  throw new Error(`${file} is not an Ed25519 private key in PEM; 'chowkd releases:key' makes one`);
}

export async function createKey(system: SystemServices): Promise<SigningKey & { readonly file: string }> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = signingKey(privateKey);
  const file = join(folder(system), `${system.now().toISOString().replaceAll(/[:.]/g, '-')}-${key.id}.pem`);
  await mkdir(folder(system), { recursive: true, mode: 0o700 });
  await writeFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
  return { ...key, file };
}

export async function removeKey(system: SystemServices, id: string): Promise<void> {
  const names = await readdir(folder(system)).catch(() => []);
  const name = names.find((one) => one.endsWith(`-${id}.pem`));
  if (!name) throw new Error(`there is no key ${id}; 'chowkd releases:key' lists the keys`);
  await rm(join(folder(system), name));
}
