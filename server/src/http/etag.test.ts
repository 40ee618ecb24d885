import {
  action,
  ById,
  type Ctx,
  columnsFor,
  Failure,
  named,
  type Static,
  sql,
  Timestamp,
  Type,
  Uuid,
} from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { testModule } from '../../testing/test-module.ts';

/* `ETag`, `If-Match` and `If-None-Match` protect concurrent changes of a record. */

const Note = named('Note', Type.Object({ id: Uuid, text: Type.String(), updated_at: Timestamp }));
type Note = Static<typeof Note>;
const columns = columnsFor(Note, sql`n`);
/** The clock of the platform: every call returns a time one millisecond later. */
let now = Date.UTC(2026, 10, 15, 9, 30);

async function getNote(ctx: Ctx, { id }: { id: string }, lock = sql``): Promise<Note> {
  const note = await ctx.db.row<Note>(sql`SELECT ${columns} FROM notes n WHERE id = ${id} ${lock}`);
  if (!note) throw new Failure('notes.not_found', 404, 'There is no such note.');
  return note;
}

function change(ctx: Ctx, input: { id: string; text?: string }): Promise<Note> {
  return ctx.tx(async (tx) => {
    tx.mustMatch(await getNote(tx, input, sql`FOR UPDATE`));
    await tx.db.run(sql`UPDATE notes SET text = ${input.text ?? ''}, updated_at = ${tx.now()} WHERE id = ${input.id}`);
    return getNote(tx, input);
  });
}

const errors = ['notes.not_found'];
const Change = Type.Object({ id: Uuid, text: Type.String() });
const answer = { key: 'note' };
const common = { summary: 'Test', needs: 'notes.edit', errors } as const;
const platform = await startPlatform({
  now: () => new Date(now++),
  modules: [
    testModule({
      alias: 'notes',
      consumes: ['notes.change'],
      actions: {
        'notes.create': action({
          ...common,
          http: 'POST /notes',
          output: Note,
          answer: { key: 'note', status: 201 },
          run: async (ctx) => {
            const id = ctx.newId();
            await ctx.db.run(sql`INSERT INTO notes VALUES (${id}, 'first', ${ctx.now()})`);
            return getNote(ctx, { id });
          },
        }),
        'notes.get': action({
          ...common,
          http: 'GET /notes/:id',
          input: ById,
          output: Note,
          answer,
          run: (ctx, key) => getNote(ctx, key),
        }),
        'notes.list': action({
          ...common,
          http: 'GET /notes',
          output: Type.Object({ notes: Type.Array(Note) }),
          run: async (ctx) => ({ notes: await ctx.db.rows<Note>(sql`SELECT ${columns} FROM notes n`) }),
        }),
        'notes.update': action({
          ...common,
          http: 'PATCH /notes/:id',
          input: Change,
          output: Note,
          answer,
          run: change,
        }),
        'notes.replace': action({
          ...common,
          http: 'PUT /notes/:id',
          input: Change,
          output: Note,
          answer,
          run: change,
        }),
        'notes.delete': action({
          ...common,
          http: 'DELETE /notes/:id',
          input: ById,
          errors: [...errors, 'http.precondition_failed'],
          answer: { message: 'Note deleted.' },
          run: (ctx, key) =>
            ctx.tx(async (tx) => {
              tx.mustMatch(await getNote(tx, key, sql`FOR UPDATE`));
              await tx.db.run(sql`DELETE FROM notes WHERE id = ${key.id}`);
            }),
        }),
        'notes.change': action({ summary: 'Test', public: true, bus: { rateLimit: 600 }, input: Change, run: change }),
        'notes.touchOther': action({
          ...common,
          http: 'POST /notes/:id/other/:other',
          input: Type.Object({ id: Uuid, other: Uuid }),
          errors: [...errors, 'http.precondition_failed'],
          run: async (ctx, { id, other }) => {
            ctx.mustMatch(await getNote(ctx, { id }));
            await ctx.bus.call('notes.change' as never, { id: other, text: 'touched' } as never);
            return {};
          },
        }),
      },
      migration: 'CREATE TABLE notes (id uuid PRIMARY KEY, text text NOT NULL, updated_at timestamptz NOT NULL)',
    }),
  ],
});
const caller = (await platform.tenant()).caller('notes.edit');

async function newNote(): Promise<{ url: string; id: string; etag: string }> {
  const { body, headers } = await caller.post('/api/v1/notes');
  return { url: `/api/v1/notes/${body.note.id}`, id: body.note.id, etag: String(headers.etag) };
}

test('creating, reading and changing a record return its ETag', async () => {
  const { url, etag } = await newNote();
  expect(etag).toMatch(/^"2026-11-15T[\d:.]+Z_[\w-]{16}"$/);
  expect((await caller.get(url)).headers.etag).toBe(etag);
  const changed = await caller.patch(url, { text: 'second' });
  expect(changed.headers.etag).not.toBe(etag);
  expect((await caller.get(url)).headers.etag).toBe(changed.headers.etag);
});

test('lists and errors have no ETag', async () => {
  const { url } = await newNote();
  expect((await caller.get('/api/v1/notes')).headers).not.toHaveProperty('etag');
  expect((await caller.patch(url, { text: 5 })).headers).not.toHaveProperty('etag');
});

const others = '"abc", "def"';
test.each([
  ['the version', (etag: string) => etag],
  ['a weak version', (etag: string) => `W/${etag}`],
  ['a list with it', (etag: string) => `${others},${etag} , "x"`],
  ['whatever there is', () => '*'],
])('a client that has the current version gets 304 without a body: %s', async (_, known) => {
  const { url, etag } = await newNote();
  const headers = { 'if-none-match': known(etag) };
  for (const method of ['GET', 'HEAD'] as const) {
    const answered = await caller.request({ method, url, headers });
    expect({ status: answered.status, body: answered.body, etag: answered.headers.etag }).toEqual({
      status: 304,
      body: '',
      etag,
    });
  }
});

test('a client that has an old version gets the current one', async () => {
  const { url, etag } = await newNote();
  await caller.patch(url, { text: 'second' });
  for (const known of [etag, others, '', 'nonsense', etag.replaceAll('"', '')]) {
    const { status, body } = await caller.get(url, { 'if-none-match': known });
    expect({ status, text: body.note.text }).toEqual({ status: 200, text: 'second' });
  }
});

test('a deleted record is 404 and not 304', async () => {
  const { url } = await newNote();
  await caller.delete(url);
  expect((await caller.get(url, { 'if-none-match': '*' })).status).toBe(404);
});

test.each([
  ['the version', (etag: string) => etag],
  ['a list with it', (etag: string) => `${others}, ${etag}`],
  ['any version', () => '*'],
  ['any version, with spaces', () => ' * '],
])('a change succeeds if If-Match names the current version: %s', async (_, ifMatch) => {
  for (const method of ['PATCH', 'PUT'] as const) {
    const { url, etag } = await newNote();
    const { status, body } = await caller.request({
      method,
      url,
      payload: { text: 'new' },
      headers: { 'if-match': ifMatch(etag) },
    });
    expect({ status, text: body.note.text }).toEqual({ status: 200, text: 'new' });
  }
});

test.each([
  ['an old version', (etag: string) => etag],
  ['a list without it', (etag: string) => `${others}, ${etag}`],
  ['nonsense', () => 'nonsense'],
])('a change with another version is 412 and changes nothing: %s', async (_, ifMatch) => {
  const { url, etag } = await newNote();
  const current = await caller.patch(url, { text: 'second' });
  const headers = { 'if-match': ifMatch(etag) };
  for (const refused of [
    await caller.patch(url, { text: 'third' }, headers),
    await caller.request({ method: 'PUT', url, payload: { text: 'third' }, headers }),
    await caller.delete(url, undefined, headers),
  ]) {
    expect(refused).toMatchObject({ status: 412, body: { code: 'http.precondition_failed' } });
  }
  const { body, headers: read } = await caller.get(url);
  expect({ text: body.note.text, etag: read.etag }).toEqual({ text: 'second', etag: current.headers.etag });
});

test('a weak ETag does not match in If-Match', async () => {
  const { url, etag } = await newNote();
  expect((await caller.patch(url, { text: 'x' }, { 'if-match': `W/${etag}` })).status).toBe(412);
});

test('without If-Match a change always succeeds', async () => {
  const { url } = await newNote();
  await caller.patch(url, { text: 'second' });
  expect((await caller.patch(url, { text: 'third' })).status).toBe(200);
  expect((await caller.delete(url)).status).toBe(200);
});

test('of concurrent changes to one version exactly one succeeds', async () => {
  const { url, etag } = await newNote();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => caller.patch(url, { text: String(n) }, { 'if-match': etag })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)]);
  const success = answers.find(({ status }) => status === 200);
  expect((await caller.get(url)).body).toEqual(success?.body);
});

test('If-Match applies to the requested record, not to records that are changed with it', async () => {
  const [one, other] = [await newNote(), await newNote()];
  const touch = (etag: string) => caller.post(`${one.url}/other/${other.id}`, {}, { 'if-match': etag });
  expect((await touch(other.etag)).status).toBe(412);
  expect((await touch(one.etag)).status).toBe(200);
  expect((await caller.get(other.url)).body.note.text).toBe('touched');
});

test('pages of other origins may read the ETag', async () => {
  const { url } = await newNote();
  const { headers } = await caller.get(url, { origin: 'https://shop.example' });
  expect(headers['access-control-expose-headers']?.split(', ')).toEqual(
    expect.arrayContaining(['ETag', 'Ignored-Fields']),
  );
});
