import { action, afterCommit, type Ctx, job, sql, Type } from '@chowk/kit';
import { testModule } from '../../server/testing/test-module.ts';
import { benchPermission } from './actions.ts';

/* Modules of two rings: both have `work`, the ring edge also has `extra`. Every change, job and delivery writes a line. */

const Numbered = Type.Object({ n: Type.Integer() });

export function ringModules(ring: string) {
  const log = (kind: string) => async (ctx: Ctx, data: unknown) => {
    const { n } = data as { n: number };
    await ctx.db.run(sql`INSERT INTO work_log (n, kind, ring) VALUES (${n}, ${kind}, ${ring})`);
  };
  const work = testModule({
    alias: 'work',
    emits: ['work.happened'],
    migration: 'CREATE TABLE work_log (n int NOT NULL, kind text NOT NULL, ring text NOT NULL)',
    actions: {
      'work.change': action({
        tag: 'Bench',
        needs: benchPermission,
        audited: false,
        http: 'POST /bench/work',
        summary: 'Write a line and, in the same transaction, emit an event and add a job',
        input: Numbered,
        run: async (ctx, { n }) => {
          await ctx.tx(async (tx) => {
            await log('change')(tx, { n });
            await tx.emit('work.happened' as never, { n } as never);
            await tx.jobs.add('work.do' as never, { n } as never);
          });
          return { ring };
        },
      }),
    },
    jobs: { 'work.do': job({ data: Numbered, run: log('job') }) },
    listeners: [afterCommit('work.happened' as never, 'hear', log('event') as never)],
  });
  const extra = testModule({
    alias: 'extra',
    jobs: { 'extra.do': job({ data: Numbered, run: log('extra job') }) },
    listeners: [
      afterCommit('work.*' as never, 'hear', async (ctx, payload) =>
        ctx.tx(async (tx) => {
          await log('extra event')(tx, payload);
          await tx.jobs.add('extra.do' as never, payload as never);
        }),
      ),
    ],
  });
  return ring === 'edge' ? [work, extra] : [work];
}
