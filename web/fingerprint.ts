import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

const web = import.meta.dirname;
const root = dirname(web);
const isTest = (path: string) => /\.test\.tsx?$/.test(path);

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Hashes everything that the console is built from: its sources, the client's, and the packages it uses. */
export async function hashSources(): Promise<string> {
  const files = [
    ...['index.html', 'vite.config.ts', 'build.ts', 'package.json'].map((name) => join(web, name)),
    ...(await filesIn(join(web, 'src'))),
    ...(await filesIn(join(web, 'public'))),
    ...(await filesIn(join(web, 'lucide'))),
    ...(await filesIn(join(root, 'client/src'))),
  ];
  return hash([
    ...(await contents(
      root,
      files.filter((path) => !isTest(path)),
    )),
    await lockedPackages(),
  ]);
}

/** Hashes the files of a build: a merge may have mixed those of two. */
export async function hashFiles(folder: string, except: string): Promise<string> {
  const files = await filesIn(folder);
  return hash(
    await contents(
      folder,
      files.filter((path) => path !== join(folder, except)),
    ),
  );
}

/** The packages of the lock file that the console depends on, also indirectly, with their versions. */
async function lockedPackages(): Promise<string> {
  const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
    await readFile(join(root, 'package-lock.json'), 'utf8'),
  );
  const seen = new Set(['web']);
  for (const path of seen) {
    const { dependencies, devDependencies, optionalDependencies, peerDependencies } = lock.packages[path] ?? {};
    const own = path === 'web' ? devDependencies : {};
    for (const name of Object.keys({ ...dependencies, ...own, ...optionalDependencies, ...peerDependencies })) {
      const found = locate(lock.packages, path, name);
      if (found !== undefined) seen.add(found);
    }
  }
  return [...seen]
    .map((path) => `${path}@${lock.packages[path]?.version}`)
    .sort()
    .join('\n');
}

/** Where Node finds a package: in the nearest `node_modules`. */
function locate(packages: Record<string, LockedPackage>, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.includes('/') ? dirname(folder) : '') {
    const path = `${folder && `${folder}/`}node_modules/${name}`;
    const found = packages[path];
    if (found) return found.link ? found.resolved : path;
    if (folder === '') return undefined;
  }
}

export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** Names and content, not times: a checkout or a copy changes those. */
async function contents(base: string, files: readonly string[]): Promise<(string | Buffer)[]> {
  const sorted = [...files].sort();
  const read = await Promise.all(sorted.map(async (path) => [relative(base, path), await readFile(path)] as const));
  return read.flat();
}

function hash(parts: readonly (string | Buffer)[]): string {
  const sha256 = createHash('sha256');
  for (const part of parts) sha256.update(`${part.length}:`).update(part);
  return sha256.digest('hex');
}
