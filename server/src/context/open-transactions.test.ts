import { action, type Ctx, job, sql, Type } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { testModule } from '../../testing/test-module.ts';

const write = (ctx: Ctx) => ctx.db.run(sql`INSERT INTO notes VALUES (1)`);
const common = { summary: 'Test', public: true, bus: { rateLimit: 600 } } as const;
const platform = await startPlatform({
  modules: [
    testModule({
      alias: 'notes',
      emits: ['note.written'],
      actions: { 'notes.write': action({ ...common, run: async (ctx) => ({ rows: await write(ctx) }) }) },
      jobs: { 'notes.later': job({ data: Type.Object({}), run: async () => {} }) },
      migration: 'CREATE TABLE notes (n int)',
    }),
  ],
});
const acme = await platform.tenant();
const newContext = () => acme.context('notes');
const count = async () => (await acme.db.rows(sql`SELECT FROM notes`)).length;

const uses: Readonly<Record<string, (ctx: Ctx) => Promise<unknown>>> = {
  'ctx.db': async (ctx) => write(ctx),
  'ctx.tx': async (ctx) => ctx.tx(write),
  'ctx.bus.call': (ctx) => ctx.bus.call('notes.write' as never, {} as never),
  'ctx.emit': (ctx) => ctx.emit('note.written' as never, {} as never),
  'ctx.jobs.add': (ctx) => ctx.jobs.add('notes.later' as never, {} as never),
  'ctx.broadcast': (ctx) => ctx.broadcast('private-user.1', 'test', {}),
  'ctx.personalData': async (ctx) => ctx.personalData.count('00000000-0000-4000-8000-000000000000'),
};

test.each(Object.entries(uses))(
  '%s of the outer context throws inside a transaction and writes nothing',
  async (_, use) => {
    const ctx = newContext();
    const before = await count();
    const failed = ctx.tx(async (tx) => {
      await write(tx);
      await use(ctx);
    });
    await expect(failed).rejects.toThrow('use the context that the callback gets: ctx.tx(async (tx) => …)');
    expect(await count()).toBe(before);
  },
);

test.each(Object.entries(uses))(
  '%s of the inner context works, and of the outer one afterwards and beside it',
  async (_, use) => {
    const ctx = newContext();
    const entered = Promise.withResolvers<void>();
    const used = Promise.withResolvers<void>();
    const open = ctx.tx(async (tx) => {
      await use(tx);
      entered.resolve();
      await used.promise;
    });
    await entered.promise;
    await use(ctx);
    used.resolve();
    await open;
    await use(ctx);
  },
);

test('the context of a transaction throws inside its savepoint', async () => {
  const failed = newContext().tx((tx) => tx.tx(() => write(tx)));
  await expect(failed).rejects.toThrow('use the context that the callback gets');
});

test('work that goes on after the transaction may use the outer context', async () => {
  const ctx = newContext();
  const ended = Promise.withResolvers<void>();
  let later: Promise<unknown> | undefined;
  await ctx.tx(async (tx) => {
    await write(tx);
    later = ended.promise.then(() => write(ctx));
  });
  ended.resolve();
  expect(await later).toBe(1);
});
