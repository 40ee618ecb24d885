import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

interface LockedPackage {
  readonly dev?: boolean;
  /** A package of this repository. */
  readonly link?: boolean;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly libc?: readonly string[];
}

/** By their path, such as `node_modules/fastify`. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

export async function readLock(): Promise<LockedPackages> {
  const text = await readFile(resolve(import.meta.dirname, '../package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: LockedPackages };
  return Object.fromEntries(Object.entries(packages).filter(([path]) => path.includes('node_modules/')));
}

/** Whether npm installs it on Linux with glibc on x64. */
export function isForLinux({ os, cpu, libc }: LockedPackage): boolean {
  const includes = (list: string | readonly string[] | undefined, name: string) =>
    !list || [list].flat().includes(name);
  return includes(os, 'linux') && includes(cpu, 'x64') && includes(libc, 'glibc');
}
