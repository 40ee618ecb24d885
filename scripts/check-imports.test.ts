import { expect, test } from 'vitest';
import { importProblems } from './check-imports.ts';

const packages = new Map([
  ['.', {}],
  ['kit', { name: '@chowk/kit', exports: { '.': './src/kit.ts', './kernel': './src/kernel.ts' } }],
  ['server', { dependencies: { pg: '1.0.0', '@fastify/busboy': '1.0.0' } }],
]);

function problems(sources: Record<string, string>): string[] {
  return importProblems(new Map(Object.entries(sources)), packages);
}

test('a folder of the kernel imports only those below it, by whatever kind of import', () => {
  for (const source of [
    `import { send } from '../http/send.ts';`,
    `import type { Send } from '../http/send.ts';`,
    `export * from '../http/send.ts';`,
    `const { send } = await import('../http/send.ts');`,
  ]) {
    expect(problems({ 'server/src/db/query.ts': source }), source).toEqual([
      expect.stringMatching(/^server\/src\/db\/query.ts imports server\/src\/http\/send.ts: db\/ may import only/),
    ]);
  }
  expect(problems({ 'server/src/http/send.ts': `import { query } from '../db/query.ts';` })).toEqual([]);
  expect(problems({ 'server/src/db/query.test.ts': `import { send } from '../http/send.ts';` })).toEqual([]);
});

test('a module imports itself and the public part of the kit', () => {
  expect(problems({ 'modules/orders/a.ts': `import '../orders/b.ts'; import { x } from '@chowk/kit';` })).toEqual([]);
  expect(problems({ 'modules/orders/a.ts': `import '../customers/b.ts';` })).toEqual([
    'modules/orders/a.ts imports modules/customers/b.ts: a module imports the kit and itself',
  ]);
  expect(problems({ 'modules/orders/a.ts': `import { x } from '@chowk/kit/kernel';` })).toEqual([
    'modules/orders/a.ts imports kit/src/kernel.ts: a module imports the public part of the kit',
  ]);
});

test('a circle of imports is shown with its files', () => {
  const sources = { 'cli/a.ts': `import './b.ts';`, 'cli/b.ts': `import './c.ts';`, 'cli/c.ts': `import './b.ts';` };
  expect(problems(sources)).toEqual(['a circle of imports: cli/b.ts → cli/c.ts → cli/b.ts']);
});

test('what runs needs its packages among the dependencies', () => {
  const source = `import 'node:fs'; import 'pg/lib/x.js'; import '@fastify/busboy'; import 'vitest';`;
  expect(problems({ 'server/src/db/a.ts': source })).toEqual([
    'server/src/db/a.ts imports npm:vitest: not among the dependencies of server/package.json',
  ]);
  expect(problems({ 'server/src/db/a.test.ts': source })).toEqual([]);
});
