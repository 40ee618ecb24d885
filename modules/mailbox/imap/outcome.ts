import { type Ctx, sql } from '@chowk/kit';
import type { MailboxProblem } from './connection.ts';
import { leaseMs, type StoredMailbox } from './mailbox.ts';

const second = 1_000;
const intervalMs = 60 * second;
/** Some providers lock an account with too many failed sign-ins. */
const delaySeconds = [60, 120, 300, 900, 1_800, 3_600];
/** A shorter failure needs no attention. */
const reportAfterMs = 3_600_000;

export const imapNotifications = {
  'mailbox.failed': { description: 'Mails cannot be fetched from the mailbox', critical: true },
} as const;

export async function recordSuccess(
  ctx: Ctx,
  { id, updated_at }: StoredMailbox,
  { isComplete }: { isComplete: boolean },
): Promise<void> {
  const now = ctx.now();
  const delay = isComplete ? intervalMs : leaseMs;
  await ctx.tx(async (tx) => {
    const updated = await tx.db.run(sql`
      UPDATE imap_mailboxes SET fetched_at = CASE WHEN ${isComplete} THEN ${now}::timestamptz ELSE fetched_at END,
        next_fetch_at = ${new Date(now.getTime() + delay)}, failures = 0, failing_since = NULL, failure = NULL,
        is_reported = false
      WHERE id = ${id} AND updated_at = ${updated_at}`);
    if (updated > 0) await addNext(tx, delay);
  });
}

/** One that comes too early finds nothing to do: clocks differ. */
async function addNext(ctx: Ctx, delayMs: number): Promise<void> {
  await ctx.jobs.add('mailbox.schedule_imap', {}, { delaySeconds: Math.ceil(delayMs / second) + 2 });
}

/** Tries again later and later, and tells the Owners once if it does not pass. */
export async function recordFailure(ctx: Ctx, mailbox: StoredMailbox, problem: MailboxProblem): Promise<void> {
  const { id, updated_at, failures, failing_since } = mailbox;
  const now = ctx.now();
  const delay = delaySeconds[Math.min(failures, delaySeconds.length - 1)] as number;
  const since = failing_since === null ? now : new Date(failing_since);
  const isReported = now.getTime() - since.getTime() >= reportAfterMs;
  ctx.log.warn({ err: problem.cause ?? problem, tenant: ctx.tenant.id }, 'mails cannot be fetched from a mailbox');
  await ctx.tx(async (tx) => {
    const row = await tx.db.row<{ is_new: boolean }>(sql`
      UPDATE imap_mailboxes m SET failures = m.failures + 1, failing_since = ${since}, failure = ${problem.message},
        next_fetch_at = ${new Date(now.getTime() + delay * second)}, is_reported = m.is_reported OR ${isReported}
      FROM imap_mailboxes old WHERE old.id = m.id AND m.id = ${id} AND m.updated_at = ${updated_at}
      RETURNING NOT old.is_reported AS is_new`);
    if (row) await addNext(tx, delay * second);
    if (row?.is_new && isReported) await report(tx, mailbox, problem);
  });
}

async function report(ctx: Ctx, { address }: StoredMailbox, { message }: MailboxProblem): Promise<void> {
  const owners = await ctx.bus.call('identity.members', { role: 'Owner' });
  await ctx.notify(
    owners.map(({ id }) => id),
    {
      type: 'mailbox.failed',
      title: `Mails to ${address} do not come in`,
      body: `${message} Mails wait in the mailbox until it works again.`,
      severity: 'error',
      icon: 'AlertTriangle',
      action_url: '/settings/channels',
      action_label: 'Open the settings',
      group_key: 'mailbox.failed',
    },
  );
}
