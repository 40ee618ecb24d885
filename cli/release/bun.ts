import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { extractFile } from '../src/upgrade/archive.ts';
import { hostTarget, type Target } from './targets.ts';

const bunVersion = '1.4.4';
/** The SHA-512 digests of the packages of the runtime, as the npm registry states them. */
const packages: Record<Target, readonly [name: string, sha512: string]> = {
  'linux-x64': [
    'linux-x64',
    'CHbbkmHVM28T1GFq+6GL4Ao4ujwwYwj1CxFFwEFzLanPfNsId9AhbIP0Q4reWuWBkGimUkoQygrK7Rgjtj3vog==',
  ],
  'linux-arm64': [
    'linux-aarch64',
    'ZTVtpf9zmHSBVPX1sBwe5agGb/rN34yPGg/Hby8e2Ax2uCUA2URZKlZH7qLntK7qaFJCMXh9v0GWNYN2zINz1w==',
  ],
  'darwin-x64': [
    'darwin-x64',
    'oKGcxLsvh4oHjAo28nPm8c/xN0o/OmGyj1IHYc94vprkWsW2hNg2keEZt5f40cI5Hvu4jDlSRTR0UNpv1UIAxw==',
  ],
  'darwin-arm64': [
    'darwin-aarch64',
    'zW/hxwc8sJAILGwB5eTC4i48ouGXf0V4lrxmEOk3JIE6JkYVW1TZh1E2pIempqsezgW1sckTIIDudFON8bJ2Mw==',
  ],
  'windows-x64': [
    'windows-x64',
    'a3LNctBVO8PjePsFZfwDleF2JXYf2BfQ1u/PLRnBDLnC2Riml+4+LgJpKj4xRGhB92KweGyQI5PXaTkP9qypMQ==',
  ],
};

const run = promisify(execFile);

/** The Bun runtime of a platform, downloaded from the npm registry on first use into a cache folder of the user. */
export async function requireBun(target: Target): Promise<string> {
  const binary = target.startsWith('windows') ? 'bun.exe' : 'bun';
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const file = join(cache, 'chowk', `bun-${bunVersion}`, target, binary);
  if (existsSync(file)) return file;
  const [name, sha512] = packages[target];
  const archive = await downloadPackage(`@oven/bun-${name}@${bunVersion}`);
  if (createHash('sha512').update(archive).digest('base64') !== sha512) {
    throw new Error(`the package @oven/bun-${name}@${bunVersion} has another digest than expected`);
  }
  await mkdir(dirname(file), { recursive: true });
  // Several processes may do this at the same time.
  const temporary = `${file}.${process.pid}`;
  await writeFile(
    temporary,
    await extractFile(archive, { archiveName: 'bun.tgz', filename: binary, maxBytes: 500_000_000 }),
  );
  await chmod(temporary, 0o755);
  await rename(temporary, file);
  return file;
}

async function downloadPackage(name: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-bun-'));
  try {
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder, name], { cwd: folder });
    return await readFile(join(folder, stdout.trim()));
  } finally {
    await rm(folder, { recursive: true });
  }
}

export interface Compilation {
  readonly entry: string;
  readonly target: Target;
  readonly outfile: string;
  /** Global constants that the program reads. */
  readonly constants: Readonly<Record<string, string>>;
}

/** Compiles a program with the runtime of the target into one file. The same input gives the same bytes. */
export async function compile({ entry, target, outfile, constants }: Compilation): Promise<void> {
  const [bun, runtime] = [await requireBun(hostTarget()), await requireBun(target)];
  const defines = Object.entries(constants).map(([name, value]) => `--define=${name}=${JSON.stringify(value)}`);
  // Files of the folder in which a user runs the program must not change what it does.
  const isolated = ['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'];
  const output = [`--target=bun-${target}`, `--compile-executable-path=${runtime}`, `--outfile=${outfile}`];
  // Bytecode needs no parsing, and with split code only the part of a command is loaded.
  const fast = ['--minify', '--bytecode', '--splitting', '--format=esm'];
  await run(bun, ['build', '--compile', ...fast, ...isolated, ...output, ...defines, entry]);
}
