import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { openRegistry } from './open-registry.ts';
import { type PackageId, packageFile } from './package-name.ts';
import type { Registry } from './registry.ts';
import { signPackage } from './signature.ts';
import { withStaging } from './staging.ts';
import { maxPackageBytes, PackageError, unpack } from './unpack.ts';

export interface Published extends PackageId {
  readonly file: string;
  readonly registry: string;
  readonly signed: boolean;
}

/** Puts a package into the registry, with a signature if there is a key. */
export async function publishPackage(config: Config, zip: string, key: KeyObject | undefined): Promise<Published> {
  const registry = openRegistry(config);
  const bytes = await readFile(zip).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${zip} cannot be read (${error.code})`);
  });
  if (bytes.length > maxPackageBytes) {
    throw new PackageError(basename(zip), `it exceeds ${maxPackageBytes / 1_048_576} MB`);
  }
  const { manifest, text } = await withStaging(tmpdir(), async (folder) => {
    const content = join(folder, 'content');
    const unpacked = await unpack(zip, content, basename(zip));
    return { manifest: unpacked, text: await readFile(join(content, 'module.json')) };
  });
  const { alias, version } = manifest;
  const file = packageFile(manifest);
  await writeOnce(registry, { alias, version }, file, bytes);
  if (key) await writeOnce(registry, { alias, version }, `${file}.sig`, Buffer.from(signPackage(bytes, key)));
  // Last, because an installation begins with it.
  await writeOnce(registry, { alias, version }, 'module.json', text);
  return { alias, version, file, registry: registry.place, signed: key !== undefined };
}

/** A version that was published never changes. */
async function writeOnce(registry: Registry, id: PackageId, file: string, content: Buffer): Promise<void> {
  const existing = await registry.read(id, file, maxPackageBytes);
  if (existing?.equals(content)) return;
  if (existing) {
    throw new Error(
      `${id.alias}@${id.version} is in ${registry.place} with another ${file}; publish the change as a new version`,
    );
  }
  await registry.write(id, file, content);
}
