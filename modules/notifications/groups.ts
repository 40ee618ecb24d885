import { type Ctx, sql } from '@chowk/kit';
import type { Message } from './schemas.ts';

/* Notifications that are sent as one. Additions of a group wait for each other, so that none is lost to the job that sends. */

type Lane = 'console' | 'alerts';

const everyMs: Readonly<Record<Lane, number>> = { console: 1_000, alerts: 5 * 60_000 };
/** A job that has not run by then is lost, and another one is queued. */
const overdueMs = 10 * 60_000;

export interface Waiting {
  readonly message: Message;
  readonly count: number;
}

interface Planned {
  readonly id: string;
  readonly due_at: string;
  readonly is_queued: boolean;
}

/** Adds to a group and, unless it is queued already, queues the job that sends it. */
export async function addToGroup(ctx: Ctx, lane: Lane, { message, count }: Waiting): Promise<void> {
  const { to, module, group_key } = message;
  const [id, now] = [ctx.newId(), ctx.now()];
  const next = new Date(now.getTime() - everyMs[lane]);
  const overdue = new Date(now.getTime() - overdueMs);
  const isQueued = sql`g.waiting > 0 AND g.due_at > ${overdue}`;
  // The usual case of frequent notifications, in one statement.
  const added = await ctx.db.run(sql`
    UPDATE notification_groups g SET waiting = waiting + ${count}, message = ${JSON.stringify(message)}::json
    WHERE module = ${module ?? ''} AND group_key = ${group_key} AND recipients = ${JSON.stringify(to)}::jsonb AND lane = ${lane}
      AND ${isQueued}`);
  if (added > 0) return;
  await ctx.tx(async (tx) => {
    const {
      id: group,
      due_at,
      is_queued,
    } = (await tx.db.row<Planned>(sql`
      INSERT INTO notification_groups AS g (id, module, group_key, recipients, lane, message, waiting, due_at, queued_by)
      VALUES (${id}, ${module ?? ''}, ${group_key}, ${JSON.stringify(to)}::jsonb, ${lane}, ${JSON.stringify(message)}::json,
        ${count}, ${now}, ${id})
      ON CONFLICT (module, group_key, recipients, lane) DO UPDATE SET waiting = g.waiting + excluded.waiting,
        message = excluded.message,
        due_at = CASE WHEN ${isQueued} THEN g.due_at WHEN g.sent_at > ${next}
          THEN g.sent_at + make_interval(secs => ${everyMs[lane] / 1_000}) ELSE excluded.due_at END,
        queued_by = CASE WHEN ${isQueued} THEN g.queued_by ELSE excluded.queued_by END
      RETURNING id, due_at, queued_by <> ${id}::uuid AS is_queued`)) as Planned;
    if (is_queued) return;
    const delay = Date.parse(due_at) - now.getTime();
    const job = lane === 'console' ? 'notifications.send_group' : 'notifications.alert_group';
    await tx.jobs.add(job, { id: group }, delay > 0 ? { delaySeconds: Math.ceil(delay / 1_000) } : {});
  });
}

/** Takes what waits, in the transaction that sends it. */
export function takeGroup(ctx: Ctx, { id }: { id: string }): Promise<Waiting | undefined> {
  return ctx.db.row<Waiting>(sql`
    UPDATE notification_groups g SET waiting = 0, sent_at = ${ctx.now()}
    FROM (SELECT id, waiting AS count FROM notification_groups WHERE id = ${id} FOR UPDATE) AS before
    WHERE g.id = before.id AND before.count > 0 RETURNING g.message, before.count`);
}

export async function pruneGroups(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.now().getTime() - 24 * 3_600_000);
  await ctx.db.run(sql`DELETE FROM notification_groups WHERE waiting = 0 AND sent_at < ${before}`);
}
