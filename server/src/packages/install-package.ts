import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { folderIntegrity } from '../loader/lock-file.ts';
import { packageFolder } from '../loader/module-folders.ts';
import { openRegistry } from './open-registry.ts';
import { guessPackageFile, type PackageId, packageFile } from './package-name.ts';
import type { Registry } from './registry.ts';
import { isSignedBy } from './signature.ts';
import { withStaging } from './staging.ts';
import { maxPackageBytes, PackageError, unpack } from './unpack.ts';

const maxManifestBytes = 5 * 1_048_576;
const maxSignatureBytes = 1_000;

export interface InstallOptions {
  /** The digest that the content must have. */
  readonly integrity?: string | undefined;
  /** Gets a line for the operator. */
  readonly warn: (line: string) => void;
}

/**
 * Downloads a package from the registry, unless it is installed, and returns the digest of its content. It is unpacked and checked
 * beside its place and then renamed, so that there is never a part of a package.
 */
export async function installPackage(config: Config, id: PackageId, options: InstallOptions): Promise<string> {
  const folder = packageFolder(config, id.alias, id.version);
  if (!existsSync(folder)) await placePackage(config, id, folder, options);
  const installed = await folderIntegrity(folder);
  if (options.integrity !== undefined && installed !== options.integrity) {
    throw new Error(`${folder} differs from the lock file; remove the folder and run the command again`);
  }
  return installed;
}

async function placePackage(config: Config, id: PackageId, folder: string, options: InstallOptions): Promise<void> {
  const name = `${id.alias}@${id.version}`;
  const registry = openRegistry(config);
  const { bytes, signature } = await download(registry, id);
  checkSignature(config, name, bytes, signature, options.warn);
  await withStaging(config.modulesPath, async (staging) => {
    const [zip, content] = [join(staging, 'package.zip'), join(staging, 'content')];
    await writeFile(zip, bytes);
    const { alias, version } = await unpack(zip, content, name);
    if (alias !== id.alias || version !== id.version) throw new PackageError(name, `it contains ${alias}@${version}`);
    if (options.integrity !== undefined && (await folderIntegrity(content)) !== options.integrity) {
      throw new PackageError(name, 'its content differs from the lock file');
    }
    await mkdir(dirname(folder), { recursive: true });
    await rename(content, folder).catch((error: NodeJS.ErrnoException) => {
      // Another process was faster; the caller compares the content.
      if (!['ENOTEMPTY', 'EEXIST'].includes(error.code ?? '')) throw error;
    });
  });
}

async function download(registry: Registry, id: PackageId): Promise<{ bytes: Buffer; signature: string | undefined }> {
  const file = await findPackageFile(registry, id);
  const bytes = await registry.read(id, file, maxPackageBytes);
  if (!bytes) throw new Error(`there is no ${id.alias}@${id.version} in the module registry ${registry.place}`);
  const signature = await registry.read(id, `${file}.sig`, maxSignatureBytes);
  return { bytes, signature: signature?.toString('utf8') };
}

async function findPackageFile(registry: Registry, id: PackageId): Promise<string> {
  const manifest = await registry.read(id, 'module.json', maxManifestBytes);
  if (!manifest) return guessPackageFile(id);
  try {
    const { name } = JSON.parse(manifest.toString('utf8'));
    return packageFile({ name: String(name), version: id.version });
  } catch {
    throw new PackageError(`${id.alias}@${id.version}`, 'its module.json in the registry is not valid JSON');
  }
}

function checkSignature(
  { moduleSigningKeys: keys, appEnv }: Config,
  name: string,
  bytes: Buffer,
  signature: string | undefined,
  warn: (line: string) => void,
): void {
  if (keys.length === 0) return;
  if (signature !== undefined) {
    if (isSignedBy(bytes, signature, keys)) return;
    throw new PackageError(name, 'none of MODULE_SIGNING_KEYS made its signature');
  }
  if (appEnv === 'production') throw new PackageError(name, 'it is not signed, and MODULE_SIGNING_KEYS is set');
  warn(`${name} is not signed; in production it would be refused`);
}
