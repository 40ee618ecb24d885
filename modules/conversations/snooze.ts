import {
  action,
  ById,
  type Ctx,
  type Issues,
  type JobTypes,
  job,
  NamedObject,
  Nullable,
  type Static,
  sql,
  Timestamp,
  TimestampInput,
  Type,
  toTimestamp,
  Uuid,
} from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { getConversation, lockConversation } from './conversations.ts';
import { fail } from './errors.ts';
import { emitChanges } from './events.ts';
import { linkTo } from './notify-team.ts';
import { Conversation, type ConversationRecord } from './schemas.ts';

const maxDays = 366;
const day = 24 * 3_600_000;

const Snooze = NamedObject('ConversationSnooze', {
  id: Uuid,
  until: Type.Optional({
    ...Nullable(TimestampInput),
    description: 'When the conversation comes back, at most a year from now. Without it, when the customer writes.',
  }),
});
type Snooze = Static<typeof Snooze>;

async function checkUntil(ctx: Ctx, { until }: Partial<Snooze>, issues: Issues): Promise<void> {
  if (until === undefined || until === null) return;
  const ahead = Date.parse(until) - ctx.now().getTime();
  if (ahead <= 0) issues.add('until', 'The time must be in the future.');
  if (ahead > maxDays * day) issues.add('until', 'The time must be within a year.');
}

/** The customer wakes it in any case. */
async function snooze(ctx: Ctx, { id, until = null }: Snooze): Promise<Conversation> {
  return ctx.tx(async (tx) => {
    const current = await lockConversation(tx, { id });
    if (current.status === 'closed') throw fail('conversations.closed');
    const due = until === null ? null : toTimestamp(until);
    const saved = (await tx.db.row<ConversationRecord>(sql`
      UPDATE conversations c SET is_snoozed = true, snoozed_until = ${due}, snoozed_by = ${tx.userId ?? null},
        updated_at = ${tx.now()}
      WHERE id = ${id} RETURNING ${recordColumns}`)) as ConversationRecord;
    await emitChanges(tx, current, saved);
    if (saved.snoozed_until !== null) {
      const delaySeconds = Math.ceil((Date.parse(saved.snoozed_until) - tx.now().getTime()) / 1_000);
      await tx.jobs.add('conversations.wake', { id, until: saved.snoozed_until }, { delaySeconds });
    }
    return getConversation(tx, { id });
  });
}

async function unsnooze(ctx: Ctx, { id }: { id: string }): Promise<Conversation> {
  return ctx.tx(async (tx) => {
    await wake(tx, await lockConversation(tx, { id }));
    return getConversation(tx, { id });
  });
}

/** Returns whether the locked conversation was snoozed. */
async function wake(ctx: Ctx, current: ConversationRecord): Promise<boolean> {
  if (!current.is_snoozed) return false;
  const saved = await ctx.db.row<ConversationRecord>(sql`
    UPDATE conversations c SET is_snoozed = false, snoozed_until = NULL, updated_at = ${ctx.now()} WHERE id = ${current.id}
    RETURNING ${recordColumns}`);
  await emitChanges(ctx, current, saved as ConversationRecord);
  return true;
}

/** Wakes a conversation if it is still snoozed until this time, and notifies the assignee or who snoozed it. */
export async function wakeDue(ctx: Ctx, { id, until }: { id: string; until: string }): Promise<void> {
  const row = await ctx.db.row<{ snoozed_by: number | null }>(sql`
    SELECT snoozed_by FROM conversations WHERE id = ${id} AND is_snoozed AND snoozed_until = ${until}`);
  if (!row) return;
  await ctx.tx(async (tx) => {
    const current = await lockConversation(tx, { id });
    if (current.snoozed_until !== until || !(await wake(tx, current))) return;
    const user = current.assignee_id ?? row.snoozed_by;
    if (user === null) return;
    await tx.notify(user, {
      ...linkTo(current),
      type: 'conversation.snooze_ended',
      title: 'The conversation with {{customer_name}} is due',
      group_key: `conversation.snooze_ended.${id}`,
    });
  });
}

/** Finds what a job has missed, such as in a tenant that was imported. */
async function wakeAllDue(ctx: Ctx): Promise<{ woken: number }> {
  const rows = await ctx.db.rows<{ id: string; until: string }>(sql`
    SELECT id, iso(snoozed_until) AS until FROM conversations WHERE is_snoozed AND snoozed_until <= ${ctx.now()}`);
  for (const row of rows) await wakeDue(ctx, row);
  return { woken: rows.length };
}

export const snoozeJobs = {
  'conversations.wake': job({ data: Type.Object({ id: Uuid, until: Timestamp }), run: wakeDue }),
  'conversations.wake_missed': job({ data: Type.Object({}), schedule: '25 * * * *', run: wakeAllDue }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof snoozeJobs> {}
}

const common = { needs: 'conversations.reply', output: Conversation } as const;

export const snoozeActions = {
  'conversations.snooze': action({
    ...common,
    summary: 'Snooze a conversation',
    description:
      'Puts it aside until a time, or until the customer writes, which also ends it early. The status stays; the assignee, or else ' +
      'who snoozed it, is notified when it is due.',
    http: 'POST /conversations/:id/snooze',
    example: { until: '2026-11-20T09:00:00Z' },
    graphql: 'snoozeConversation',
    input: Snooze,
    answer: { key: 'conversation', message: 'Conversation snoozed.' },
    errors: ['conversations.closed'],
    check: checkUntil,
    run: snooze,
  }),
  'conversations.unsnooze': action({
    ...common,
    summary: 'End the snooze of a conversation',
    http: 'POST /conversations/:id/unsnooze',
    graphql: 'unsnoozeConversation',
    input: ById,
    answer: { key: 'conversation', message: 'Conversation is back.' },
    run: unsnooze,
  }),
};
