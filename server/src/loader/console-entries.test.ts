import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { action, byTime, columnsFor, list, Nullable, named, sql, Text, Timestamp, Type, Uuid } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../testing/chowkd.ts';
import { startPlatform } from '../../testing/platform.ts';
import { repositoryModules } from '../../testing/repository-modules.ts';
import { testModule } from '../../testing/test-module.ts';
import { readConsoleScripts } from './bundle-console.ts';
import { checkModule } from './check-modules.ts';

const Note = named(
  'TestNote',
  Type.Object({
    id: Uuid,
    text: Type.String(),
    color: Nullable(Type.Enum(['red', 'blue'])),
    order_id: Nullable(Uuid),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
const notes = list({
  name: 'notes',
  row: Note,
  from: sql`notes n`,
  alias: sql`n`,
  columns: columnsFor(Note, sql`n`),
  filters: {},
  sorts: { created_at: byTime(sql`n.created_at`) },
});
const NewNote = Type.Object({
  text: Text(1_000),
  color: Type.Optional(Type.Enum(['red', 'blue'])),
  pinned: Type.Optional(Type.Boolean()),
  order_id: Type.Optional(Uuid),
});
const actions = {
  'notes.list': action({ summary: 'List notes', http: 'GET /notes', needs: 'orders.view', ...notes.paged }),
  'notes.listOfOrder': action({
    summary: 'List notes of an order',
    http: 'GET /orders/:order_id/notes',
    needs: 'orders.view',
    input: Type.Object({ order_id: Uuid }),
    output: Type.Array(Note),
    answer: { key: 'notes' },
    run: async () => [],
  }),
  'notes.create': action({
    summary: 'Create a note',
    http: 'POST /notes',
    needs: 'orders.edit',
    input: NewNote,
    output: Note,
    run: async () => ({}) as never,
  }),
  'notes.share': action({
    summary: 'Share a note',
    http: 'POST /notes/:id/share',
    needs: 'orders.edit',
    input: Type.Object({ id: Uuid, people: Type.Array(Type.String()) }),
    run: async () => ({}),
  }),
  'notes.delete': action({
    summary: 'Delete a note',
    http: 'DELETE /notes/:id',
    needs: 'orders.edit',
    input: Type.Object({ id: Uuid }),
    run: async () => ({}),
  }),
};
const console = {
  board: { place: 'page', title: 'Notes', shows: 'notes.list', actions: ['notes.create', 'notes.delete'] },
  'of-order': {
    place: 'order',
    title: 'Notes',
    shows: 'notes.listOfOrder',
    columns: ['text'],
    actions: ['notes.create'],
  },
  widget: { place: 'home', title: 'Note wall', component: 'wall', needs: 'orders.edit' },
} as const;
const code = 'export default () => null;';
const module = {
  ...testModule({ alias: 'notes', actions, console, migration: 'CREATE TABLE notes (id uuid)' }),
  consoleScripts: new Map([['wall', { code, dependencies: [] }]]),
};
const platform = await startPlatform({ modules: [...(await repositoryModules()), module] });
const acme = await platform.tenant();
const entriesFor = async (...permissions: string[]) =>
  (await acme.caller(...permissions).get('/api/v1/auth/me')).body.console_entries;

test('columns, filters and forms follow from the schemas of the actions', async () => {
  const [board, ofOrder] = await entriesFor('orders.view', 'orders.edit');
  expect(board).toMatchObject({
    module: 'notes',
    name: 'board',
    place: 'page',
    content: {
      route: 'GET notes',
      is_list: true,
      is_paged: true,
      key: 'notes',
      columns: [
        { name: 'text', label: 'Text', kind: 'text' },
        { name: 'color', kind: 'choice', options: ['red', 'blue'] },
        { name: 'created_at', label: 'Created', kind: 'time' },
      ],
      sorts: ['created_at', 'updated_at'],
    },
    actions: [
      {
        name: 'notes.create',
        label: 'Create a note',
        route: 'POST notes',
        row: [],
        fields: [
          { name: 'text', kind: 'long_text', is_required: true, max_length: 1_000 },
          { name: 'color', kind: 'choice', is_required: false },
          { name: 'pinned', kind: 'boolean' },
        ],
      },
      { name: 'notes.delete', route: 'DELETE notes/:id', method: 'DELETE', row: ['id'], fields: [] },
    ],
    script: null,
  });
  expect(ofOrder).toMatchObject({
    place: 'order',
    content: { parent: 'order_id', is_paged: false, columns: [{ name: 'text' }], filters: [] },
    actions: [{ parent: 'order_id', fields: [{ name: 'text' }, { name: 'color' }, { name: 'pinned' }] }],
  });
});

test('a caller gets the entries and the actions that the permissions allow', async () => {
  const seen = await entriesFor('orders.view');
  expect(seen.map(({ name, actions }: { name: string; actions: unknown[] }) => [name, actions])).toEqual([
    ['board', []],
    ['of-order', []],
  ]);
  expect(await entriesFor('products.view')).toEqual([]);
});

test('a disabled module has no entries, and they come back with it', async () => {
  const beta = await platform.tenant();
  const caller = beta.caller('orders.view', 'modules.enable');
  const names = async () =>
    (await caller.get('/api/v1/auth/me')).body.console_entries.map(({ name }: { name: string }) => name);
  await caller.post('/api/v1/modules/notes/disable');
  expect(await names()).toEqual([]);
  await caller.post('/api/v1/modules/notes/enable');
  expect(await names()).toEqual(['board', 'of-order']);
});

test('the script of a component has the digest of its content in its path, and the policy of the console', async () => {
  const { script } = (await entriesFor('orders.view', 'orders.edit'))[2];
  expect(script).toMatch(new RegExp(`^/console-files/${acme.id}/[0-9a-f]{32}\\.js$`));
  const { status, headers, body } = await platform.request({ url: script });
  expect({ status, body }).toEqual({ status: 200, body: code });
  expect(headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': expect.stringContaining("script-src 'self'"),
  });
  const other = script.replace(/[0-9a-f]{32}/, '0'.repeat(32));
  for (const url of [other, '/console-files/../module.ts', `/console-files/${acme.id}/..%2fmodule.js`]) {
    expect((await platform.request({ url })).status).toBe(404);
  }
});

test.for([
  [{ place: 'page', title: 'x', shows: 'notes.nothing' }, 'the module has no action notes.nothing with a route'],
  [{ place: 'page', title: 'x', shows: 'notes.create' }, 'notes.create changes something; shows needs a GET action'],
  [{ place: 'page', title: 'x' }, 'name an action in shows, or a component'],
  [{ place: 'page', title: 'x', component: 'wall' }, 'a component needs a permission; declare one in needs'],
  [{ place: 'page', title: 'x', shows: 'notes.list', columns: ['size'] }, 'the console cannot show size of notes.list'],
  [{ place: 'customer', title: 'x', shows: 'notes.list' }, 'notes.list has no input customer_id'],
  [
    { place: 'page', title: 'x', shows: 'notes.list', actions: ['notes.share'] },
    'the console has no control for people of notes.share',
  ],
  [{ place: 'page', title: 'x', shows: 'notes.listOfOrder' }, 'nothing tells order_id'],
] as const)('an entry that cannot be shown is refused when the module is loaded: %o', ([entry, problem]) => {
  const wrong = testModule({ alias: 'notes', actions, console: { wrong: entry } });
  expect(() => checkModule(wrong)).toThrow(problem);
});

test('a component is bundled without React, and what it lacks is named', async () => {
  const folder = await temporaryFolder();
  const source = (text: string) => writeFile(join(folder, 'console/wall.tsx'), text);
  await mkdir(dirname(join(folder, 'console/wall.tsx')), { recursive: true });
  const read = () => readConsoleScripts(folder, { console: { wall: console.widget } });
  await expect(read()).rejects.toThrow('has no file console/wall.tsx');
  await source(`import { useState } from 'react'; export default () => <p>{useState(1)[0]}</p>;`);
  const built = (await read()).get('wall')?.code ?? '';
  expect(built).toContain('chowkConsole.react');
  expect(built.length).toBeLessThan(1_000);
  await source(`import x from 'no-such-package'; export default () => <p>{x}</p>;`);
  await expect(read()).rejects.toThrow('no-such-package');
});
