import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const maxExports = 150;

/** The names that a file exports, types included. */
async function exportedNames(file: string): Promise<string[]> {
  const text = await readFile(new URL(file, import.meta.url), 'utf8');
  const statements = text.match(/^export .*$/gm) ?? [];
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from '[^']+';$/gm)];
  const declared = [...text.matchAll(/^export (?:interface|type|const|function|class) (\w+)/gm)];
  // Others, such as `export *`, would hide names from this count.
  expect(lists.length + declared.length, file).toBe(statements.length);
  const listed = lists.flatMap(([, names = '']) => names.split(',').map((name) => name.trim().replace(/^type /, '')));
  return [...listed.filter((name) => name !== ''), ...declared.map(([, name = '']) => name)];
}

test('a module author has few names to learn', async () => {
  const names = [...(await exportedNames('kit.ts')), ...(await exportedNames('catalogue.ts'))];
  expect(names).toContain('defineModule');
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeLessThanOrEqual(maxExports);
});
