import { type Ctx, type JobTypes, job, sql, Type } from '@chowk/kit';
import { receiveRawMail } from '../receive-mail.ts';
import { MailboxProblem } from './connection.ts';
import { leaseMs, openAccount, type StoredMailbox, storedMailbox } from './mailbox.ts';
import { recordFailure, recordSuccess } from './outcome.ts';
import { readMails, type Step } from './read-mails.ts';
import { withNote } from './with-note.ts';

/** A mail that cannot be added after so many attempts is replaced by a note, and then skipped. */
const maxAttempts = 3;
const hour = 3_600_000;

/** Queues a fetch if it is time. */
async function schedule(ctx: Ctx): Promise<void> {
  const now = ctx.now();
  await ctx.tx(async (tx) => {
    const claimed = await tx.db.run(sql`
      UPDATE imap_mailboxes SET next_fetch_at = ${new Date(now.getTime() + leaseMs)} WHERE next_fetch_at <= ${now}`);
    if (claimed > 0) await tx.jobs.add('mailbox.fetch_imap', {});
  });
}

/** Fetches new mails for a while; if some are left, others have their turn first. */
async function fetchMails(ctx: Ctx): Promise<{ received: number }> {
  const mailbox = await storedMailbox(ctx);
  if (!mailbox) return { received: 0 };
  try {
    const { received, isComplete } = await receiveMails(ctx, mailbox);
    await recordSuccess(ctx, mailbox, { isComplete });
    if (!isComplete) await ctx.jobs.add('mailbox.fetch_imap', {});
    return { received };
  } catch (error) {
    if (!(error instanceof MailboxProblem)) throw error;
    await recordFailure(ctx, mailbox, error);
    return { received: 0 };
  }
}

async function receiveMails(ctx: Ctx, mailbox: StoredMailbox): Promise<{ received: number; isComplete: boolean }> {
  let { attempts } = mailbox;
  let received = 0;
  let isComplete = false;
  const selection = { ...mailbox, since: findStart(mailbox) };
  for await (const step of readMails(ctx, openAccount(ctx, mailbox), selection)) {
    if (step.file) {
      await receiveMail(ctx, { ...mailbox, attempts }, step.file);
      attempts = 0;
      received += 1;
    }
    isComplete = step.isComplete;
    await savePosition(ctx, mailbox, step);
  }
  return { received, isComplete };
}

/** After a new UIDVALIDITY, only mails since the last complete fetch can be new. The clock of the server may differ. */
function findStart({ since, fetched_at }: StoredMailbox): Date {
  const last = fetched_at === null ? 0 : new Date(fetched_at).getTime() - hour;
  return new Date(Math.max(new Date(since).getTime(), last));
}

async function receiveMail(ctx: Ctx, mailbox: StoredMailbox, file: Uint8Array): Promise<void> {
  const { attempts, address: recipient } = mailbox;
  if (attempts >= 2 * maxAttempts) {
    ctx.log.error({ tenant: ctx.tenant.id }, 'a mail was skipped: it could not be added');
    return;
  }
  const isUnreadable = attempts >= maxAttempts;
  const note = 'This mail could not be added. Read it in your mailbox.';
  try {
    await receiveRawMail(ctx, { mail: isUnreadable ? withNote(file, note) : file, recipient });
  } catch (error) {
    // It must not hold up those after it for ever.
    await ctx.db.run(sql`UPDATE imap_mailboxes SET attempts = attempts + 1 WHERE id = ${mailbox.id}`);
    throw error;
  }
}

/** Unless the mailbox was changed meanwhile, or another fetch is further. */
async function savePosition(
  ctx: Ctx,
  { id, updated_at }: StoredMailbox,
  { uid_validity, last_uid }: Step,
): Promise<void> {
  await ctx.db.run(sql`
    UPDATE imap_mailboxes SET uid_validity = ${uid_validity}, last_uid = ${last_uid}, attempts = 0
    WHERE id = ${id} AND updated_at = ${updated_at}
      AND (uid_validity IS DISTINCT FROM ${uid_validity} OR last_uid < ${last_uid})`);
}

export const imapJobs = {
  // Each fetch adds the next one. The schedule finds a mailbox for which none was added.
  'mailbox.schedule_imap': job({ data: Type.Object({}), schedule: '13-59/15 * * * *', run: schedule }),
  'mailbox.fetch_imap': job({
    queue: 'imap',
    data: Type.Object({}),
    retries: [10, 60, 300, 300, 300, 300],
    run: fetchMails,
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof imapJobs> {}
}
