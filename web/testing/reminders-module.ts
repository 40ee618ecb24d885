import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  action,
  byTime,
  type Ctx,
  columnsFor,
  equals,
  Line,
  list,
  Nullable,
  named,
  type Static,
  search,
  sql,
  Timestamp,
  Type,
  Uuid,
  updateSchema,
} from '@chowk/kit';
import type { Module } from '@chowk/kit/kernel';
import { readConsoleScripts } from '../../server/src/loader/bundle-console.ts';
import type { LoadedModule } from '../../server/src/loader/load-modules.ts';
import { testModule } from '../../server/testing/test-module.ts';

const Reminder = named(
  'Reminder',
  Type.Object({
    id: Uuid,
    text: Type.String(),
    priority: Type.Enum(['high', 'low']),
    due_on: Nullable(Type.String({ format: 'date' })),
    is_done: Type.Boolean(),
    order_id: Nullable(Uuid),
    customer_id: Nullable(Uuid),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
type Reminder = Static<typeof Reminder>;
const NewReminder = Type.Object({
  text: Line(100, { description: 'What to do.' }),
  priority: Type.Optional(Type.Enum(['high', 'low'])),
  due_on: Type.Optional(Nullable(Type.String({ format: 'date' }))),
  order_id: Type.Optional(Uuid),
  customer_id: Type.Optional(Uuid),
});
const { text, priority, due_on } = updateSchema(NewReminder).properties;
const Changes = Type.Object({ id: Uuid, text, priority, due_on });
const columns = columnsFor(Reminder, sql`r`);

const reminders = list({
  name: 'reminders',
  row: Reminder,
  from: sql`reminders r`,
  alias: sql`r`,
  columns,
  filters: {
    search: search('Words in the text.', sql`fold(r.text)`),
    priority: equals(Type.Enum(['high', 'low']), sql`r.priority`),
    order_id: equals(Uuid, sql`r.order_id`),
    customer_id: equals(Uuid, sql`r.customer_id`),
  },
  sorts: { created_at: byTime(sql`r.created_at`) },
});

const create = async (ctx: Ctx, input: Static<typeof NewReminder>) =>
  (await ctx.db.row<Reminder>(sql`
    INSERT INTO reminders AS r (id, text, priority, due_on, order_id, customer_id, created_at, updated_at)
    VALUES (${ctx.newId()}, ${input.text}, ${input.priority ?? 'low'}, ${input.due_on ?? null}, ${input.order_id ?? null},
      ${input.customer_id ?? null}, ${ctx.now()}, ${ctx.now()}) RETURNING ${columns}`)) as Reminder;
const update = async (ctx: Ctx, input: Static<typeof Changes>) =>
  (await ctx.db.row<Reminder>(sql`
    UPDATE reminders AS r SET text = coalesce(${input.text ?? null}, text), priority = coalesce(${input.priority ?? null}, priority),
      due_on = ${input.due_on ?? null}, updated_at = ${ctx.now()} WHERE id = ${input.id} RETURNING ${columns}`)) as Reminder;
const remove = (ctx: Ctx, { id }: { readonly id: string }) => ctx.db.run(sql`DELETE FROM reminders WHERE id = ${id}`);
const complete = async (ctx: Ctx, { id }: { readonly id: string }) =>
  (await ctx.db.row<Reminder>(
    sql`UPDATE reminders AS r SET is_done = true WHERE id = ${id} RETURNING ${columns}`,
  )) as Reminder;
const count = async (ctx: Ctx) =>
  (await ctx.db.row<{ open: number; done: number }>(
    sql`SELECT count(*) FILTER (WHERE NOT is_done) AS open, count(*) FILTER (WHERE is_done) AS done FROM reminders`,
  )) as { open: number; done: number };

const record = { output: Reminder, needs: 'orders.edit' } as const;
const answer = (message: string, status = 200) => ({ answer: { key: 'reminder', message, status } });
const ById = Type.Object({ id: Uuid });

const actions = {
  'reminders.list': action({
    summary: 'List reminders',
    http: 'GET /reminders',
    needs: 'orders.view',
    ...reminders.paged,
  }),
  'reminders.count': action({
    summary: 'Count reminders',
    http: 'GET /reminders/count',
    needs: 'orders.view',
    output: Type.Object({ open: Type.Integer(), done: Type.Integer() }),
    run: count,
  }),
  'reminders.create': action({
    summary: 'Add a reminder',
    http: 'POST /reminders',
    input: NewReminder,
    ...record,
    ...answer('Reminder added.', 201),
    run: create,
  }),
  'reminders.update': action({
    summary: 'Change the reminder',
    http: 'PATCH /reminders/:id',
    input: Changes,
    ...record,
    ...answer('Reminder changed.'),
    run: update,
  }),
  'reminders.complete': action({
    summary: 'Mark as done',
    http: 'POST /reminders/:id/complete',
    input: ById,
    ...record,
    ...answer('Reminder done.'),
    run: complete,
  }),
  'reminders.delete': action({
    summary: 'Delete the reminder',
    http: 'DELETE /reminders/:id',
    needs: 'orders.edit',
    input: ById,
    answer: { message: 'Reminder deleted.' },
    run: remove,
  }),
};

const section = { title: 'Reminders', shows: 'reminders.list', columns: ['text', 'priority'] } as const;
const ofRow = ['reminders.update', 'reminders.complete', 'reminders.delete'];

const console: NonNullable<Module['console']> = {
  board: {
    ...section,
    place: 'page',
    icon: 'CheckCircle',
    columns: ['text', 'priority', 'due_on', 'is_done', 'created_at'],
    actions: ['reminders.create', ...ofRow],
  },
  figures: { place: 'home', title: 'Reminders', shows: 'reminders.count' },
  'order-reminders': { ...section, place: 'order', actions: ['reminders.create', 'reminders.complete'] },
  'customer-reminders': { ...section, place: 'customer', actions: ['reminders.create'] },
  wall: { place: 'page', title: 'Reminder wall', component: 'wall', needs: 'orders.view' },
  secret: { place: 'page', title: 'Secret', component: 'wall', needs: 'settings.edit' },
  broken: { place: 'home', title: 'Broken', component: 'broken', needs: 'orders.view' },
};

const components = {
  wall: `
    import { useEffect, useState } from 'react';
    import type { ConsoleProps } from '@chowk/kit/console';
    export default function Wall({ call, toast, ui: { Button } }: ConsoleProps) {
      const [texts, setTexts] = useState<string[]>();
      const load = () => call('GET /reminders', { per_page: 3 }).then((page: any) => setTexts(page.reminders.map(({ text }) => text)));
      useEffect(() => void load(), []);
      const add = async () => {
        await call('POST /reminders', { text: 'From the wall' });
        toast('Added.');
        await load();
      };
      return <div><p>On the wall: {texts?.join(', ')}</p><Button onClick={add}>Add one</Button></div>;
    }`,
  broken: `
    export default function Broken() {
      throw new Error('The wall fell over.');
    }`,
};

const migration = `
  CREATE TABLE reminders (
    id uuid PRIMARY KEY, text text NOT NULL, priority text NOT NULL, due_on date, is_done boolean NOT NULL DEFAULT false,
    order_id uuid, customer_id uuid, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL
  );
  SELECT stamp_changes('reminders');`;

/** A module with entries of every kind, declared and with components. */
export async function remindersModule(): Promise<LoadedModule> {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-reminders-'));
  await mkdir(join(folder, 'console'));
  for (const [name, code] of Object.entries(components)) await writeFile(join(folder, `console/${name}.tsx`), code);
  const consoleScripts = await readConsoleScripts(folder, { console });
  await rm(folder, { recursive: true });
  return { ...testModule({ alias: 'reminders', actions, console, migration }), consoleScripts };
}
