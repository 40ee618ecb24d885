import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join, relative, sep } from 'node:path';
import type { OutputChunk, Plugin } from 'rolldown';
import { packageRoot } from './licences.ts';

/** The files of a module that the platform imports. */
const entries = ['module', 'graphql/resolvers', 'graphql/providers'];

export interface Bundle {
  /** JavaScript, and the files that it reads, by name. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** The files of npm packages in it. */
  readonly dependencies: readonly string[];
}

/** Bundles a module with its dependencies; only `@chowk/kit` and the modules of Node remain imports. */
export async function bundleModule(folder: string): Promise<Bundle> {
  const { rolldown } = await import('rolldown').catch(() => {
    throw new Error("module:pack needs the packages for development; run 'npm install' without --omit=dev first");
  });
  const input = entries.filter((entry) => existsSync(join(folder, `${entry}.ts`)));
  const build = await rolldown({
    // Otherwise the code would contain paths of this machine.
    cwd: folder,
    input: Object.fromEntries(input.map((entry) => [entry, `./${entry}.ts`])),
    platform: 'node',
    external: (id) => isProvided(id),
    plugins: [refuseUnpackable(folder)],
    logLevel: 'silent',
    experimental: { attachDebugInfo: 'none', resolveNewUrlToAsset: true },
  });
  try {
    const { output } = await build.generate({
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      assetFileNames: 'assets/[name]-[hash][extname]',
      comments: false,
    });
    const chunks = output.filter((file) => file.type === 'chunk');
    checkImports(folder, chunks);
    return {
      files: new Map(output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source])),
      dependencies: chunks.flatMap(({ moduleIds }) => moduleIds).filter((id) => packageRoot(id) !== undefined),
    };
  } catch (error) {
    throw readableError(error);
  } finally {
    await build.close();
  }
}

function isProvided(id: string): boolean {
  return /^@chowk\/kit(\/|$)/.test(id) || isBuiltin(id);
}

/** Rolldown leaves an import that it cannot resolve as it is. */
function checkImports(folder: string, chunks: readonly OutputChunk[]): void {
  const own = new Set(chunks.map(({ fileName }) => fileName));
  for (const { imports, dynamicImports } of chunks) {
    const missing = [...imports, ...dynamicImports].find((id) => !own.has(id) && !isProvided(id));
    if (missing !== undefined) throw new Error(`${folder} imports ${missing}, which is not installed`);
  }
}

/** Such a file becomes part of the package: `new URL('./font.ttf', import.meta.url)`. */
const fileUrl = /\bnew URL\('[^']+',\s*import\.meta\.url\)/g;

/** Refuses what works in the folder of the module and not in a package. */
function refuseUnpackable(folder: string): Plugin {
  return {
    name: 'refuse-unpackable',
    async load(id) {
      const root = packageRoot(id);
      if (root !== undefined && (id.endsWith('.node') || (await isNativeAddon(root)))) {
        throw new Error(`the native addon ${root.replace(/^.*\/node_modules\//, '')} cannot be packed`);
      }
      const isOwn = root === undefined && id.startsWith(folder + sep);
      if (isOwn && /\bimport\.meta\b/.test((await readFile(id, 'utf8')).replace(fileUrl, ''))) {
        throw new Error(
          `${relative(folder, id)} uses import.meta, which names another folder in a package; import the file or write new URL('./file', import.meta.url)`,
        );
      }
      return null;
    },
  };
}

async function isNativeAddon(root: string): Promise<boolean> {
  const { napi, gypfile, binary } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return Boolean(napi ?? gypfile ?? binary);
}

/** The first problem, without colors and code. */
function readableError(error: unknown): Error {
  const [first = error] = (error as { errors?: unknown[] }).errors ?? [];
  const [line = ''] = String((first as Error).message).split('\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors of a terminal
  return new Error(line.replaceAll(/\u001b\[[\d;]*m/g, '').replace(/^\[[^\]]*\]\s*/, ''), { cause: error });
}
