import { job, sql, systemJob, Type } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { testModule } from '../../testing/test-module.ts';
import type { Session } from './command.ts';
import { readInput } from './command.ts';
import { jobsRunCommand } from './jobs-run.ts';

const platform = await startPlatform({
  modules: [
    testModule({
      alias: 'notes',
      migration: 'CREATE TABLE notes (n int)',
      jobs: {
        'notes.add': job({
          data: Type.Object({ n: Type.Integer() }),
          async run(ctx, { n }) {
            if (n < 0) throw new Error('n is negative');
            await ctx.db.run(sql`INSERT INTO notes VALUES (${n})`);
            return { added: n };
          },
        }),
        'notes.sweep': systemJob({ data: Type.Object({}), run: async () => 'swept' }),
      },
    }),
  ],
});
const [acme, other] = [await platform.tenant(), await platform.tenant()];

/** The rows that the command prints as JSON, and its error. */
async function run(...argv: string[]) {
  const printed: object[] = [];
  const session = {
    kernel: async () => platform.kernel,
    table: (rows: readonly object[]) => void printed.push(...rows),
  } as unknown as Session;
  try {
    await jobsRunCommand.run(session, readInput(jobsRunCommand, [...argv, '--json']));
    return { printed };
  } catch (error) {
    return { printed, error: (error as Error).message };
  }
}

const readNotes = (tenant: typeof acme) => tenant.db.rows(sql`SELECT n FROM notes ORDER BY n`);

test('a job runs at once for the named tenant, and its result is printed', async () => {
  expect(await run('notes.add', `--tenant=${acme.id}`, '--data={"n":1}')).toEqual({
    printed: [{ tenant: acme.id, state: 'done', result: { added: 1 }, ms: expect.any(Number) }],
  });
  expect([await readNotes(acme), await readNotes(other)]).toEqual([[{ n: 1 }], []]);
});

test('without a tenant it runs for every tenant that has the module', async () => {
  const { printed } = await run('notes.add', '--data={"n":2}');
  expect(printed).toMatchObject([acme, other].map(({ id }) => ({ tenant: id, state: 'done' })).sort(byTenant));
  await platform.kernel.installations.set(other.id, 'notes', 'disabled');
  expect((await run('notes.add', '--data={"n":3}')).printed).toMatchObject([{ tenant: acme.id }]);
  expect(await run('notes.add', `--tenant=${other.id}`, '--data={"n":3}')).toEqual({
    printed: [],
    error: `the module notes is not enabled for the tenant ${other.id}`,
  });
});

test('a system job runs once, for no tenant', async () => {
  expect((await run('notes.sweep')).printed).toMatchObject([{ tenant: null, state: 'done', result: 'swept' }]);
  expect((await run('notes.sweep', `--tenant=${acme.id}`)).error).toContain('leave out --tenant');
});

test('a failure is printed with its reason and fails the command', async () => {
  expect(await run('notes.add', `--tenant=${acme.id}`, '--data={"n":-1}')).toMatchObject({
    printed: [{ state: 'failed', result: 'n is negative' }],
    error: 'notes.add failed for 1 of 1; the table has the reasons',
  });
});

test.each([
  ['an unknown job', ['notes.ad'], /there is no job notes\.ad; the jobs are .*notes\.add/],
  ['a job of the kernel', ['kernel.deliver'], /can be added by the kernel only/],
  ['an unknown tenant', ['notes.add', '--tenant=nobody', '--data={"n":1}'], /there is no tenant nobody/],
  ['data that is not JSON', ['notes.add', '--data={'], /--data is not valid JSON/],
  ['data that does not fit', ['notes.add', '--data={"n":"x"}'], /--data: The n must be an integer/],
])('%s is refused', async (_, argv, message) => {
  expect(await run(...argv)).toEqual({ printed: [], error: expect.stringMatching(message) });
});

function byTenant(a: { tenant: string }, b: { tenant: string }): number {
  return a.tenant < b.tenant ? -1 : 1;
}
