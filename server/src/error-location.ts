import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const frame = /((?:file:\/\/)?\/[^\s():?]+\.ts)(?:\?[^\s():]*)?:(\d+)/;
/** Frames that say nothing about the cause: of packages, and of the database layer, which every query passes. */
const uninformative = /\/node_modules\/|\/server\/src\/db\//;

/** Where the code of a module, or else of the platform, caused an error: `/srv/chowk/modules/notes/notes.ts:12`. */
export function errorLocation(error: unknown): string | undefined {
  const { stack = '' } = (error ?? {}) as { stack?: string };
  const places = stack.split('\n').flatMap((line) => {
    const [, file, number] = frame.exec(line) ?? [];
    if (file === undefined || uninformative.test(file)) return [];
    return [`${file.startsWith('file:') ? fileURLToPath(file) : file}:${number}`];
  });
  return places.find((place) => place.includes('/modules/')) ?? places[0];
}

/** Where the code in a folder declares a name, such as that of an action. */
export function declarationIn(folder: string, name: string): string | undefined {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('node_modules'),
  );
  for (const file of files.sort()) {
    const lines = readFileSync(join(folder, file), 'utf8').split('\n');
    const index = lines.findIndex((line) => line.trimStart().startsWith(`'${name}':`));
    if (index >= 0) return `${join(folder, file)}:${index + 1}`;
  }
  return undefined;
}
