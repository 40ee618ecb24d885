import { type Ctx, deleteInBatches, type JobTypes, job, sql, Type, Uuid } from '@chowk/kit';
import { receiveMail } from './receive-mail.ts';

const day = 24 * 3_600_000;
const keptDays = 7;

interface Incoming {
  readonly content: Uint8Array | null;
  readonly file_id: string | null;
}

/** Stores a mail that the platform has received, with the job that reads it. */
export async function acceptMail(ctx: Ctx, { content, file_id }: Incoming): Promise<void> {
  const id = ctx.newId();
  await ctx.db.run(sql`
    INSERT INTO mailbox_incoming (id, content, file_id, received_at) VALUES (${id}, ${content}, ${file_id}, ${ctx.now()})`);
  await ctx.jobs.add('mailbox.receive', { id });
}

/** Reads the mail. It is removed in the transaction that adds the message. */
async function receiveStored(ctx: Ctx, { id }: { id: string }): Promise<string | undefined> {
  const incoming = await ctx.db.row<Incoming>(sql`SELECT content, file_id FROM mailbox_incoming WHERE id = ${id}`);
  // Received by an earlier attempt.
  if (!incoming) return undefined;
  const { content, file_id } = incoming;
  const mail = await ctx.readMail(content ?? (await ctx.files.read(file_id as string)));
  const { status } = await receiveMail(ctx, { mail, recipient: null }, async (tx) => {
    await tx.db.run(sql`DELETE FROM mailbox_incoming WHERE id = ${id}`);
    if (file_id !== null) await tx.files.remove(file_id);
  });
  return status;
}

async function prune(ctx: Ctx): Promise<{ deleted: number }> {
  const before = new Date(ctx.now().getTime() - keptDays * day);
  return { deleted: await deleteInBatches(ctx.db, sql`mailbox_mails`, sql`received_at < ${before}`) };
}

export const mailJobs = {
  'mailbox.receive': job({
    queue: 'mailbox',
    // Fewer statements for each: a batch is fetched and completed with one.
    batchSize: 10,
    data: Type.Object({ id: Uuid }),
    retries: [5, 30, 120, 600, 3_600, 21_600],
    run: receiveStored,
  }),
  'mailbox.prune': job({ data: Type.Object({}), schedule: '40 4 * * *', run: prune }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof mailJobs> {}
}
