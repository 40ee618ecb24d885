import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { compressBest, compressOnce, type Encoding } from './compress.ts';

const web = resolve(import.meta.dirname, '../../../web');
const dist = join(web, 'dist');

export interface ConsoleFile {
  readonly content: Buffer;
  readonly encoded: Map<Encoding, Promise<Buffer>>;
}

let files: Promise<ReadonlyMap<string, ConsoleFile>> | undefined;

/** The files of the built console, by path; read once. While there is no build, each request looks for one. */
export async function consoleFiles(): Promise<ReadonlyMap<string, ConsoleFile>> {
  files ??= readFiles();
  const found = await files;
  if (!found.has('/index.html')) files = undefined;
  return found;
}

async function readFiles(): Promise<ReadonlyMap<string, ConsoleFile>> {
  const entries = await readdir(dist, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const read = async (path: string) =>
    [path.slice(dist.length), { content: await readFile(path), encoded: new Map() }] as const;
  return new Map(await Promise.all(paths.map(read)));
}

/** Files that are sent, and not as small as they could be. */
const compressible = new Set<ConsoleFile>();
let timer: NodeJS.Timeout | undefined;
/** After a start, the requests come first. */
const shrinkAfterMs = 30_000;

/** Compressed with the first request that accepts the encoding, and as small as possible a little later. */
export function encodeFile(file: ConsoleFile, encoding: Encoding): Promise<Buffer> {
  const { content, encoded } = file;
  const known = encoded.get(encoding);
  if (known) return known;
  const result = compressOnce(content, encoding);
  encoded.set(encoding, result);
  if (encoding === 'br') {
    compressible.add(file);
    timer ??= setTimeout(shrinkFiles, shrinkAfterMs).unref();
  }
  return result;
}

/** One after the other, so that it takes one processor at most. */
export async function shrinkFiles(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  for (const file of compressible) {
    compressible.delete(file);
    file.encoded.set('br', Promise.resolve(await compressBest(file.content)));
  }
}

/** Builds the console if its sources have changed, in a process of its own: a build needs much memory. */
export async function buildConsole(signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [join(web, 'build.ts')], { stdio: ['ignore', 'ignore', 'inherit'], signal });
  // A start that fails does not wait for it.
  child.unref();
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`web/build.ts ended with code ${code}`);
}
