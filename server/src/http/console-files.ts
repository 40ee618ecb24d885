import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { compressOnce, type Encoding } from './compress.ts';

const web = resolve(import.meta.dirname, '../../../web');
const dist = join(web, 'dist');

interface ConsoleFile {
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

/** Compressed with the first request that accepts the encoding. */
export function encodeFile({ content, encoded }: ConsoleFile, encoding: Encoding): Promise<Buffer> {
  const result = encoded.get(encoding) ?? compressOnce(content, encoding);
  encoded.set(encoding, result);
  return result;
}

/** Builds the console if its sources have changed, in a process of its own: a build needs much memory. */
export async function buildConsole(signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [join(web, 'build.ts')], { stdio: ['ignore', 'ignore', 'inherit'], signal });
  // A start that fails does not wait for it.
  child.unref();
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`web/build.ts ended with code ${code}`);
}
