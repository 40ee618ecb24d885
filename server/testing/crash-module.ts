import { afterCommit, type Ctx, job, sql, Type } from '@chowk/kit/kernel';
import { testModule } from './test-module.ts';

/** A module that writes a note and, in the same transaction, emits an event and adds a job. */
export function crashModule(on: { event(ctx: Ctx): Promise<void>; job(ctx: Ctx): Promise<void> }) {
  return testModule({
    alias: 'crash',
    emits: ['crash.noted'],
    migration: 'CREATE TABLE crash_notes (id integer)',
    jobs: { 'crash.do': job({ data: Type.Unknown(), run: on.job }) },
    listeners: [afterCommit('crash.noted' as never, 'hear', on.event)],
  });
}

export async function causeWork(ctx: Ctx): Promise<void> {
  await ctx.db.run(sql`INSERT INTO crash_notes VALUES (1)`);
  await ctx.emit('crash.noted' as never, {} as never);
  await ctx.jobs.add('crash.do' as never, {} as never);
}

export const crashMail = (to: string) => ({ to, subject: 'Crash', organization: 'Crash', paragraphs: ['Crash'] });
