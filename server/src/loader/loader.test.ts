import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  action,
  Bytes,
  IdSet,
  type Module,
  Nullable,
  operation,
  type Sql,
  signedIn,
  type TSchema,
  Type,
} from '@chowk/kit/kernel';
import { expect, onTestFinished, test } from 'vitest';
import { testConfig } from '../../testing/test-config.ts';
import { testModule } from '../../testing/test-module.ts';
import { checkModule, checkReferences } from './check-modules.ts';
import { findModules, loadModule } from './load-modules.ts';
import { folderIntegrity, readLockFile, writeLockFile } from './lock-file.ts';
import { lockPath } from './lock-path.ts';
import { type Consumed, type Manifest, readManifest } from './manifest.ts';
import { packedManifest } from './packed-manifest.ts';

const good = {
  name: 'Notes',
  alias: 'notes',
  version: '1.2.3',
  description: 'Keeps notes.',
  compatibility: { platform: '^1.0.0' },
};

const provides = [{ name: 'notes.get', description: 'Get a note.' }];

const code = `export const module = {
  actions: { 'notes.get': { summary: 'Get a note', public: true, bus: { rateLimit: 1 }, run: async () => ({}) } },
};`;

const setting = { key: 'notes.limit', schema: { type: 'integer', minimum: 1 }, default: 5, description: 'The limit.' };

async function moduleFolder(manifest: object | string = good, text = code): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-module-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'module.json'), typeof manifest === 'string' ? manifest : JSON.stringify(manifest));
  await writeFile(join(folder, 'module.ts'), text);
  return folder;
}

/** The code of a module with the same settings as its manifest. */
const codeWithSettings = code.replace('= {', "= { settings: { 'notes.limit': {} },");

async function load(manifest: object = good, text = code) {
  const folder = await moduleFolder(manifest, text);
  return loadModule(folder, await readManifest(join(folder, 'module.json')));
}

test('a module is loaded from its folder', async () => {
  expect(await load()).toMatchObject({
    alias: 'notes',
    manifest: good,
    migrations: { owner: 'notes', migrations: [] },
  });
});

test('a module has both GraphQL files or neither', async () => {
  expect((await load()).graphql).toBeUndefined();
  const folder = await moduleFolder();
  const manifest = await readManifest(join(folder, 'module.json'));
  await mkdir(join(folder, 'graphql'));
  const sdl = 'type Query { note: String }';
  await writeFile(join(folder, 'graphql/schema.graphql'), sdl);
  await expect(loadModule(folder, manifest)).rejects.toThrow(
    /schema\.graphql needs a resolvers\.ts in the same folder/,
  );
  await writeFile(join(folder, 'graphql/resolvers.ts'), 'export const resolver = {};');
  await expect(loadModule(folder, manifest)).rejects.toThrow(/resolvers\.ts does not export resolvers/);
  const other = await moduleFolder();
  await mkdir(join(other, 'graphql'));
  await writeFile(join(other, 'graphql/resolvers.ts'), `export const resolvers = { Query: { note: () => 'Tea' } };`);
  await expect(loadModule(other, manifest)).rejects.toThrow(/resolvers\.ts needs a schema\.graphql in the same folder/);
  await writeFile(join(other, 'graphql/schema.graphql'), sdl);
  const { graphql } = await loadModule(other, manifest);
  expect(graphql?.sdl).toEqual([sdl]);
  expect(graphql?.resolvers[0]?.Query?.note?.({} as never, {} as never, {} as never)).toBe('Tea');
});

test.each<[string, object, RegExp]>([
  ['no alias', { ...good, alias: undefined }, /module\.json: alias: The alias is required\./],
  ['an alias with a path in it', { ...good, alias: '../etc' }, /module\.json: alias: /],
  ['an invalid version', { ...good, version: 'latest' }, /module\.json: version: /],
  [
    'an operation without a description',
    { ...good, api: { provides: [{ name: 'notes.get' }] } },
    /api\.provides\.0\.description: /,
  ],
  ['an unknown field', { ...good, permisions: [] }, /permisions: There is no such field; remove it or correct/],
  ['an unknown nested field', { ...good, api: { consume: [] } }, /api\.consume: There is no such field/],
  ['an unknown field of a setting', { ...good, settings: [{ ...setting, min: 1 }] }, /settings\.0\.min: There is no/],
  ['a limit below one', { ...good, api: { provides: [{ ...provides[0], rate_limit: 0 }] } }, /rate_limit: /],
])('a module.json with %s is refused, naming file and field', async (_, manifest, message) => {
  const folder = await moduleFolder(manifest);
  await expect(readManifest(join(folder, 'module.json'))).rejects.toThrow(message);
});

test('a module.json that is missing or not JSON is refused', async () => {
  const folder = await moduleFolder('{ nonsense');
  await expect(readManifest(join(folder, 'module.json'))).rejects.toThrow(/module\.json is not valid JSON/);
  await expect(readManifest(join(folder, 'nowhere.json'))).rejects.toThrow(/cannot be read \(ENOENT\)/);
});

test.each(['^2.0.0', '<1.0.0', '1.0.1'])(
  'a module for platform %s is refused, naming both versions',
  async (platform) => {
    await expect(load({ ...good, compatibility: { platform } })).rejects.toThrow(
      `the module notes 1.2.3 needs platform ${platform}, but this is platform 1.0.0`,
    );
  },
);

test.each(['^1.0.0', '>=0.9 <2', '*'])('a module for platform %s is loaded', async (platform) => {
  await expect(load({ ...good, compatibility: { platform } })).resolves.toMatchObject({ alias: 'notes' });
});

test('module.json and module.ts must name the same events and listeners', async () => {
  const listening = { ...good, events: { listens: ['order.created'] } };
  const listener = `export const module = {
    ...${code.slice(code.indexOf('{'), -1)},
    listeners: [{ event: 'order.created', when: 'after_commit', name: 'count', run: async () => {} }],
  };`;
  await expect(load(listening, listener)).resolves.toMatchObject({ alias: 'notes' });
  await expect(load(listening)).rejects.toThrow(
    'the module notes cannot be loaded: events.listens: order.created is not the same in module.json and module.ts; remove it from module.json, which is completed from the code',
  );
  const twice = listener.replace('listeners: [', "listeners: [{ event: 'order.created', name: 'count' },");
  await expect(load(listening, twice)).rejects.toThrow('listeners: two have the name count; rename one');
  await expect(load(good, 'export const nothing = 1;')).rejects.toThrow(/module\.ts does not export module/);
});

test('the actions, jobs and settings of a module begin with its alias; actions of a system module need not', async () => {
  const foreign = code.replace('notes.get', 'orders.get');
  await expect(load(good, foreign)).rejects.toThrow('actions: orders.get must begin with notes.');
  await expect(load({ ...good, system: true }, foreign)).resolves.toMatchObject({ alias: 'notes' });
  const job = `export const module = { jobs: { 'orders.count': { run: async () => {} } } };`;
  await expect(load(good, job)).rejects.toThrow('jobs: orders.count must begin with notes.');
  await expect(load({ ...good, settings: [{ ...setting, key: 'orders.limit' }] })).rejects.toThrow(
    'settings: orders.limit must begin with notes.',
  );
});

test('only a system module can have commands and system jobs', async () => {
  const systemJob = `export const module = { jobs: { 'notes.sweep': { system: true, run: async () => {} } } };`;
  await expect(load(good, systemJob)).rejects.toThrow(/jobs\.notes\.sweep: .*only a system module can have one/);
  await expect(load({ ...good, system: true }, systemJob)).resolves.toMatchObject({ alias: 'notes' });
  const command = `export const module = { commands: [{ name: 'notes:count', usage: '', summary: '', run() {} }] };`;
  await expect(load(good, command)).rejects.toThrow(/commands\.notes:count: only a system module can have one/);
});

test('the default of a setting must fit its schema', async () => {
  await expect(load({ ...good, settings: [setting] }, codeWithSettings)).resolves.toMatchObject({ alias: 'notes' });
  await expect(load({ ...good, settings: [{ ...setting, default: 0 }] }, codeWithSettings)).rejects.toThrow(
    /settings\.notes\.limit\.default: .* at least 1.* Change the default or the schema/,
  );
  await expect(
    load({ ...good, settings: [{ ...setting, schema: { type: 'whole' } }] }, codeWithSettings),
  ).rejects.toThrow(/settings\.notes\.limit\.schema: this is not a valid JSON schema/);
});

test.each(['61 * * * *', '0 4 * *', '0 4 * * * *', 'every day at four'])(
  'the schedule %s of a job is refused',
  async (schedule) => {
    const job = (cron: string) => `export const module = {
      jobs: { 'notes.sweep': { schedule: '${cron}', run: async () => {} } },
    };`;
    await expect(load(good, job('*/15 4 * * mon'))).resolves.toMatchObject({ alias: 'notes' });
    await expect(load(good, job(schedule))).rejects.toThrow(
      `jobs.notes.sweep.schedule: '${schedule}' is not a cron expression`,
    );
  },
);

/** Loaded modules that refer to each other: `notes` with these fields beside a module `orders`. */
function modulesWith(fields: Partial<Manifest>, definition: Module = {}) {
  const orders = testModule({
    alias: 'orders',
    emits: ['order.created'],
    actions: { 'orders.get': action({ summary: 'Get', public: true, bus: { rateLimit: 1 }, run: async () => ({}) }) },
  });
  const notes = testModule({ alias: 'notes', ...definition });
  const selling = { ...orders, manifest: { ...orders.manifest, permissions: ['orders.view'] } };
  return [selling, { ...notes, manifest: { ...notes.manifest, permissions: ['notes.view'], ...fields } }];
}

const moduleWithNeeds = (needs: string | string[]): Module => ({
  actions: { 'notes.get': action({ summary: 'Get', needs, run: async () => ({}) }) },
});

const noteCreated = (needs?: string) => ({
  summary: 'A note was created',
  payload: Type.Object({}),
  graphql: 'noteCreated',
  ...(needs === undefined ? {} : { needs }),
});

test('a GraphQL subscription without a permission is refused', () => {
  const manifest = { ...good, events: { emits: ['note.created'] } };
  const check = (needs?: string) => () =>
    checkModule({ alias: 'notes', manifest, definition: { events: { 'note.created': noteCreated(needs) } } });
  expect(check()).toThrow('events.note.created: a GraphQL subscription needs a permission; declare one in needs');
  expect(check('notes.view')).not.toThrow();
});

test('references to permissions, events and operations that exist are accepted', () => {
  const consumes = ['orders.get', { operation: 'orders.get', permission: 'notes.view' }];
  const known = modulesWith(
    { api: { consumes }, events: { listens: ['order.created'] } },
    moduleWithNeeds(['notes.view', 'orders.view']),
  );
  expect(() => checkReferences(known)).not.toThrow();
  expect(() => checkReferences(modulesWith({}, moduleWithNeeds(signedIn)))).not.toThrow();
});

test('a type of notifications is declared by one module', () => {
  const notifications = { 'order.paid': { description: 'An order was paid' } };
  const both = ['orders', 'notes'].map((alias) => testModule({ alias, notifications }));
  expect(() => checkReferences(both)).toThrow(
    'the module orders cannot be loaded: notifications: order.paid is also declared by the module notes',
  );
});

test.each<[string, Partial<Manifest>, Module, string]>([
  [
    'an action that needs an unknown permission',
    {},
    moduleWithNeeds('notes.veiw'),
    'actions.notes.get.needs: there is no permission notes.veiw; add it to permissions in module.json or correct the name',
  ],
  [
    'a subscription that needs an unknown permission',
    {},
    { events: { 'note.created': noteCreated('notes.veiw') } },
    'events.note.created.needs: there is no permission notes.veiw',
  ],
  [
    'a setting with an unknown permission',
    { settings: [{ ...setting, permission: 'notes.veiw' }] },
    {},
    'settings.notes.limit.permission: there is no permission notes.veiw',
  ],
  [
    'a listener to an event that no module emits',
    { events: { listens: ['order.placed'] } },
    {},
    'events.listens: no module in the lock file emits order.placed; add the module that does, or correct the name',
  ],
  [
    'consumption of an operation that no module provides',
    { api: { consumes: ['orders.take'] } },
    {},
    'api.consumes: no module in the lock file provides orders.take; add the module that does, or correct the name',
  ],
  [
    'consumption with a permission of another module',
    { api: { consumes: [{ operation: 'orders.get', permission: 'orders.view' }] } },
    {},
    'api.consumes: orders.view, which is to authorize orders.get, is not a permission of this module',
  ],
])('%s is refused, naming module and field', (_, fields, definition, message) => {
  expect(() => checkReferences(modulesWith(fields, definition))).toThrow(
    `the module notes cannot be loaded: ${message}`,
  );
});

test('events and settings that module.json does not list are those of the code', async () => {
  const text = `export const module = {
    events: { 'note.created': {} },
    listeners: [{ event: 'order.created', when: 'after_commit', name: 'count', run: async () => {} }],
    settings: { 'notes.limit': { schema: { type: 'integer' }, default: 5, description: 'The limit.' } },
  };`;
  expect((await load(good, text)).manifest).toMatchObject({
    events: { emits: ['note.created'], listens: ['order.created'] },
    settings: [{ key: 'notes.limit', default: 5 }],
  });
});

test('module.json and module.ts must name the same operations', async () => {
  await expect(load({ ...good, api: { provides } })).resolves.toMatchObject({ alias: 'notes' });
  await expect(load({ ...good, api: { provides } }, 'export const module = {};')).rejects.toThrow(
    'api.provides: notes.get is not the same in module.json and module.ts',
  );
  const internal = { ...good, api: { internal: [{ name: 'notes.find', description: 'Find a note.' }] } };
  await expect(load(internal)).rejects.toThrow('api.internal: notes.find is not the same');
});

test('a module with a call that it does not declare is refused when it is loaded, naming the file', async () => {
  const calls = `${code}
    // ctx.bus.call('orders.list', {})
    export const count = (ctx) => ctx.bus.callIfInstalled(\n'orders.count', {});`;
  await expect(load(good, calls)).rejects.toThrow(
    'the module notes cannot be loaded: module.ts calls orders.count; add it to api.consumes in module.json',
  );
  for (const entry of ['orders.count', { operation: 'orders.count', optional: true }]) {
    await expect(load({ ...good, api: { consumes: [entry] } }, calls)).resolves.toMatchObject({ alias: 'notes' });
  }
  await expect(load(good, calls.replace("'orders.count'", 'name'))).rejects.toThrow(
    'module.ts calls an operation by an expression (name); write its name as a string literal',
  );
  await expect(load(good, calls.replace('orders.count', 'notes.get'))).resolves.toMatchObject({ alias: 'notes' });
});

test.each([
  "ctx.bus.call<{ total: number; list: Array<string> }>('orders.count', {})",
  "ctx.bus?.call('orders.count', {})",
  "ctx.bus!.callIfInstalled('orders.count', {})",
  "ctx.bus.call?.('orders.count', {})",
  "ctx.bus\n      .call<number>(\n'orders.count')",
])('the call %s is found', async (call) => {
  await expect(load(good, `${code}\n export const count = (ctx: any) => ${call};`)).rejects.toThrow(
    'module.ts calls orders.count; add it to api.consumes in module.json',
  );
});

test('a resolver that calls an undeclared operation is refused when it is loaded', async () => {
  const folder = await moduleFolder();
  await mkdir(join(folder, 'graphql'));
  await writeFile(join(folder, 'graphql/schema.graphql'), 'type Query { note: String }');
  const resolver = `export const resolvers = { Query: { note: (_, __, ctx) => ctx.load('orders.get', {}) } };`;
  await writeFile(join(folder, 'graphql/resolvers.ts'), resolver);
  await expect(loadModule(folder, await readManifest(join(folder, 'module.json')))).rejects.toThrow(
    'graphql/resolvers.ts calls orders.get; add it to api.consumes in module.json',
  );
});

const reading = operation({
  summary: 'Find orders',
  input: Type.Object({ number: Type.String(), limit: Type.Optional(Type.Integer({ maximum: 50 })) }),
  output: Type.Object({ id: Type.String(), total: Type.String() }),
  run: async () => ({ id: '', total: '' }),
});
const provider = (definition: Module) => testModule({ alias: 'orders', ...definition });
const consumer = (consumed: Consumed, system = false) => {
  const module = testModule({ alias: 'notes', consumes: [consumed] });
  return { ...module, manifest: { ...module.manifest, system } };
};

test('a module that works without another one is loaded without it', () => {
  const consumed = { operation: 'orders.find', optional: true };
  expect(() => checkReferences([consumer(consumed)])).not.toThrow();
  // The module is there, but it has no such operation.
  expect(() => checkReferences([consumer(consumed), provider({})])).toThrow('provides orders.find');
});

test('an operation for system modules is refused to others', () => {
  const modules = (system: boolean) => [
    consumer('orders.find', system),
    provider({ operations: { 'orders.find': { ...reading, internal: 'system' } as typeof reading } }),
  ];
  expect(() => checkReferences(modules(false))).toThrow(
    'the module notes cannot be loaded: api.consumes: orders.find is for system modules only',
  );
  expect(() => checkReferences(modules(true))).not.toThrow();
});

test('an operation whose output is hidden, such as SQL, is refused', () => {
  const returning = (output: TSchema) => () =>
    checkModule(provider({ operations: { 'orders.find': { ...reading, output } as typeof reading } }));
  const select = Type.Unsafe<Sql>({ type: 'object', description: 'A SELECT.' });
  const problem = 'orders.find.output: Type.Unsafe hides what callers get; describe it, or return an IdSet';
  expect(returning(select)).toThrow(problem);
  expect(returning(Type.Array(Type.Object({ condition: Nullable(select) })))).toThrow(problem);
  expect(returning(Type.Object({ ids: Nullable(IdSet.schema), content: Bytes }))).not.toThrow();
  expect(returning(Type.Unsafe<number | null>({ type: ['integer', 'null'] }))).not.toThrow();
});

test('a packed module is refused beside a version that it was not built against, naming the difference', () => {
  const current = provider({ operations: { 'orders.find': reading } });
  const packed = packedManifest(consumer('orders.find'), [current]);
  const module = { ...consumer('orders.find'), manifest: packed };
  expect(packed.api?.consumes).toMatchObject([{ operation: 'orders.find', input: { required: ['number'] } }]);
  expect(() => checkReferences([module, current])).not.toThrow();
  const changed = provider({
    operations: {
      'orders.find': operation({
        summary: 'Find orders',
        input: Type.Object({ number: Type.String(), limit: Type.Integer({ maximum: 50 }) }),
        run: async () => ({}),
      }),
    },
  });
  expect(() => checkReferences([module, changed])).toThrow(
    'the module notes cannot be loaded: api.consumes: orders.find is not compatible with the version that the module was ' +
      'built against (limit is now required); lock a version that is',
  );
});

test('a folder with a module.json is a module, named by its alias', async () => {
  const root = await mkdtemp(join(tmpdir(), 'chowk-modules-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, 'notes'));
  await mkdir(join(root, 'manifests'));
  await writeFile(join(root, 'notes/module.json'), JSON.stringify(good satisfies Manifest));
  expect((await findModules(root)).map(({ manifest }) => manifest.alias)).toEqual(['notes']);
  await rename(join(root, 'notes'), join(root, 'memos'));
  await expect(findModules(root)).rejects.toThrow('alias: The alias must be the name of the folder, memos.');
});

test('the digest of a module changes with its code and not with its tests or Markdown', async () => {
  const folder = await moduleFolder();
  const before = await folderIntegrity(folder);
  await writeFile(join(folder, 'README.md'), 'words');
  await writeFile(join(folder, 'x.test.ts'), 'tests');
  expect(await folderIntegrity(folder)).toBe(before);
  await writeFile(join(folder, 'module.ts'), `${code} `);
  expect(await folderIntegrity(folder)).not.toBe(before);
});

test('a lock file is read as it was written, and an invalid one is refused', async () => {
  const file = join(await moduleFolder(), 'manifests', 'edge.lock.json');
  const lock = {
    lock_version: 1 as const,
    ring: 'edge',
    generated_at: 'now',
    modules: { notes: { version: '1.2.3', integrity: 'x' } },
  };
  await writeLockFile(file, lock);
  expect(await readLockFile(file)).toEqual(lock);
  await writeFile(file, JSON.stringify({ ...lock, modules: { notes: {} } }));
  await expect(readLockFile(file)).rejects.toThrow(
    /edge\.lock\.json: modules\.notes\.version: The version is required\./,
  );
  await expect(readLockFile(`${file}.none`)).rejects.toThrow(
    /cannot be read \(ENOENT\); 'chowkd module:lock' writes one/,
  );
});

test('the lock file is MODULE_LOCK_PATH, else that of the ring, else the default', () => {
  expect(lockPath(testConfig({ MODULE_LOCK_PATH: '/somewhere/x.json', RING_NAME: 'edge' }))).toBe('/somewhere/x.json');
  expect(lockPath(testConfig({ RING_NAME: 'no-such-ring' }))).toBe('modules/manifest.lock.json');
});

test.each<[string, Record<string, unknown>, RegExp]>([
  [
    'an unknown format',
    { input: Type.Object({ at: Type.Array(Type.String({ format: 'datetime' })) }) },
    /notes\.add\.input: there is no format datetime; correct its name or remove it/,
  ],
  [
    'an unknown format in the output',
    { output: Type.Object({ id: Type.String({ format: 'uid' }) }) },
    /notes\.add\.output: there is no format uid/,
  ],
  [
    'a path parameter without a field',
    { http: 'GET /notes/:id', input: Type.Object({ note: Type.String() }) },
    /actions\.notes\.add: the input has no field id, which the path GET \/notes\/:id names; add it/,
  ],
])('a module with %s is refused', (_, fields, message) => {
  const add = action({ summary: 'Add a note', public: true, ...fields, run: async () => ({}) } as never);
  expect(() => checkModule(testModule({ alias: 'notes', actions: { 'notes.add': add } }))).toThrow(message);
});

test('a property that is called format, and a value that looks like one, are no formats', () => {
  const input = Type.Object({ format: Type.String({ default: 'csv', examples: [{ format: 'nothing' }] }) });
  const add = action({ summary: 'Add a note', public: true, input, run: async () => ({}) });
  expect(() => checkModule(testModule({ alias: 'notes', actions: { 'notes.add': add } }))).not.toThrow();
});

test('a permission in a GraphQL file must exist', () => {
  const sdl = 'extend type Query { note: String @can(permission: "notes.red") }';
  const module = { ...testModule({ alias: 'notes' }), graphql: { sdl: [sdl], resolvers: [] } };
  expect(() => checkReferences([module])).toThrow(
    /graphql: @can: there is no permission notes\.red; add it to permissions/,
  );
});

test.each([
  ['a syntax error', 'export const a = 1;\nexport const module = { actions: ;', /module\.ts:2: Expression expected/],
  ['an error when it is loaded', 'const a = 1;\n\nnothing.at.all();', /module\.ts:3: nothing is not defined/],
])('%s names the module, the file and the line', async (_, text, message) => {
  await expect(load(good, text)).rejects.toThrow(message);
  await expect(load(good, text)).rejects.toThrow(/^the module notes cannot be loaded: \//);
});
