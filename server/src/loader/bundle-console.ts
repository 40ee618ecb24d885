import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Module } from '@chowk/kit/kernel';
import type { Plugin } from 'rolldown';

/** What the console hands to the scripts of modules, so that it has one React only. */
const handed = /^react(-dom)?(\/jsx-runtime|\/jsx-dev-runtime)?$/;

export interface ConsoleScript {
  readonly code: string;
  /** The files of npm packages in it. */
  readonly dependencies: readonly string[];
}

/** The scripts of a module's components, by name: built in a package, else bundled. */
export async function readConsoleScripts(
  folder: string,
  { console = {} }: Module,
): Promise<Map<string, ConsoleScript>> {
  const names = new Set(Object.values(console).flatMap(({ component }) => component ?? []));
  const scripts = new Map<string, ConsoleScript>();
  for (const name of names) scripts.set(name, await readConsoleScript(folder, name));
  return scripts;
}

async function readConsoleScript(folder: string, name: string): Promise<ConsoleScript> {
  const packed = join(folder, `console/${name}.js`);
  if (existsSync(packed)) return { code: await readFile(packed, 'utf8'), dependencies: [] };
  const source = ['tsx', 'ts']
    .map((extension) => `console/${name}.${extension}`)
    .find((path) => existsSync(join(folder, path)));
  if (source === undefined)
    throw new Error(`${folder} has no file console/${name}.tsx, which an entry of the console names`);
  return bundle(folder, source);
}

async function bundle(folder: string, source: string): Promise<ConsoleScript> {
  const { rolldown } = await import('rolldown').catch(() => {
    throw new Error(`${source} of ${folder} must be bundled; pack the module, or run 'npm install' without --omit=dev`);
  });
  const build = await rolldown({
    // Otherwise the code would contain paths of this machine.
    cwd: folder,
    input: `./${source}`,
    platform: 'browser',
    plugins: [handOver()],
    transform: {
      jsx: { runtime: 'automatic', development: false },
      define: { 'process.env.NODE_ENV': '"production"' },
    },
    logLevel: 'silent',
    experimental: { attachDebugInfo: 'none' },
  });
  try {
    const { output } = await build.generate({ format: 'esm', codeSplitting: false, comments: false, minify: true });
    const [chunk] = output;
    const missing = chunk.imports[0] ?? chunk.dynamicImports[0];
    if (missing !== undefined) throw new Error(`${folder}/${source} imports ${missing}, which is not installed`);
    return { code: chunk.code, dependencies: chunk.moduleIds.filter((id) => !id.startsWith('\0')) };
  } finally {
    await build.close();
  }
}

/** `import { useState } from 'react'` reads what the console has put in its place. */
function handOver(): Plugin {
  return {
    name: 'hand-over',
    resolveId: (id) => (handed.test(id) ? `\0${id}` : null),
    load: (id) =>
      handed.test(id.slice(1)) && id.startsWith('\0')
        ? { code: `module.exports = globalThis.chowkConsole[${JSON.stringify(id.slice(1))}];`, moduleType: 'js' }
        : null,
  };
}
