import { Bytes, type Ctx, deleteInBatches, type JobTypes, job, type Static, sql, Type, type Upload } from '@chowk/kit';
import { fail } from './errors.ts';
import type { Attachment, Message } from './schemas.ts';

const day = 24 * 3_600_000;
const columns = sql`a.id, a.file_name, a.type, a.size, a.reason`;

/** Stores a file for a message that is added later. */
export async function uploadAttachment(ctx: Ctx, { file }: { file: Upload }): Promise<Attachment> {
  const written = await ctx.files.write(file);
  return ctx.tx(async (tx) => {
    const { id: fileId, type, size } = await tx.files.keep(written);
    return insertAttachment(tx, { file_id: fileId, file_name: cleanName(file.fileName), type, size, reason: null });
  });
}

/** A file that came with a message, or why its content is not kept. */
export const ReceivedFile = Type.Object({
  file_name: Type.String(),
  content: Type.Optional(Bytes),
  reason: Type.Optional(Type.String()),
});

/** Stores a file that came with a message; one of another type can only be downloaded. Returns the id of the attachment. */
export async function storeAttachment(
  ctx: Ctx,
  { file_name, content, reason = 'The file has no content.' }: Static<typeof ReceivedFile>,
): Promise<string> {
  const name = cleanName(file_name);
  if (content === undefined) {
    const missing = { file_id: null, file_name: name, type: 'application/octet-stream', size: 0, reason };
    return (await insertAttachment(ctx, missing)).id;
  }
  const type = ctx.files.detectType(content) ?? 'application/octet-stream';
  const written = await ctx.files.write(content, { type });
  return ctx.tx(async (tx) => {
    const { id: file_id, size } = await tx.files.keep(written);
    return (await insertAttachment(tx, { file_id, file_name: name, type, size, reason: null })).id;
  });
}

type NewAttachment = Omit<Attachment, 'id'> & { readonly file_id: string | null };

export async function insertAttachment(ctx: Ctx, attachment: NewAttachment): Promise<Attachment> {
  const { file_id, file_name, type, size, reason } = attachment;
  return (await ctx.db.row<Attachment>(sql`
    INSERT INTO conversation_attachments AS a (id, file_id, file_name, type, size, reason, user_id, created_at)
    VALUES (${ctx.newId()}, ${file_id}, ${file_name}, ${type}, ${size}, ${reason}, ${ctx.userId ?? null}, ${ctx.now()})
    RETURNING ${columns}`)) as Attachment;
}

/** The last part of a path, without control characters and marks that turn the direction of a text. */
export function cleanName(name: string): string {
  const clean = (name.split(/[/\\]/).at(-1) as string).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim();
  return clean.toWellFormed().slice(0, 200) || 'file';
}

/** Ties uploaded files to a message. Each is used once, by the user who uploaded it. */
export async function attach(ctx: Ctx, messageId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const attached = await ctx.db.run(sql`
    UPDATE conversation_attachments SET message_id = ${messageId}
    WHERE id = ANY(${ids}::uuid[]) AND message_id IS NULL AND user_id IS NOT DISTINCT FROM ${ctx.userId ?? null}::bigint`);
  if (attached < ids.length) throw fail('conversations.unknown_attachment');
}

export async function withAttachments(
  ctx: Ctx,
  messages: readonly Omit<Message, 'attachments' | 'mentions'>[],
): Promise<Omit<Message, 'mentions'>[]> {
  const ids = messages.map(({ id }) => id);
  const rows = await ctx.db.rows<Attachment & { message_id: string }>(sql`
    SELECT a.message_id, ${columns} FROM conversation_attachments a WHERE a.message_id = ANY(${ids}::uuid[]) ORDER BY a.id`);
  const byMessage = Map.groupBy(rows, ({ message_id }) => message_id);
  return messages.map((message) => ({
    ...message,
    attachments: (byMessage.get(message.id) ?? []).map(({ message_id: _, ...attachment }) => attachment),
  }));
}

interface StoredAttachment {
  readonly file_id: string;
  readonly file_name: string;
  readonly type: string;
}

export async function linkAttachment(ctx: Ctx, { id, attachment }: { id: string; attachment: string }) {
  const row = await ctx.db.row<StoredAttachment>(sql`
    SELECT a.file_id, a.file_name, a.type FROM conversation_attachments a JOIN conversation_messages m ON m.id = a.message_id
    WHERE a.id = ${attachment} AND m.conversation_id = ${id} AND a.file_id IS NOT NULL`);
  if (!row) throw fail('conversations.attachment_not_found', { id: attachment });
  return { url: await ctx.files.link(row.file_id, { fileName: row.file_name }) };
}

/** The attachments of a message with their contents. */
export async function readAttachments(ctx: Ctx, { message_id }: { message_id: string }) {
  const attachments = [];
  for (const { file_id, file_name, type } of await storedAttachments(ctx, message_id)) {
    const content = Buffer.concat(await Array.fromAsync((await ctx.files.read(file_id)) as AsyncIterable<Buffer>));
    attachments.push({ fileName: file_name, type, content });
  }
  return attachments;
}

/** Long enough for a provider that is asked to fetch them. */
const providerLinkSeconds = 3_600;

/** The attachments of a message with links for the provider that delivers it. */
export async function linkAttachments(ctx: Ctx, { message_id }: { message_id: string }) {
  const links = [];
  for (const { file_id, file_name, type } of await storedAttachments(ctx, message_id)) {
    const url = await ctx.files.link(file_id, { fileName: file_name, seconds: providerLinkSeconds });
    links.push({ file_name, type, url });
  }
  return links;
}

function storedAttachments(ctx: Ctx, messageId: string): Promise<StoredAttachment[]> {
  return ctx.db.rows<StoredAttachment>(sql`
    SELECT file_id, file_name, type FROM conversation_attachments
    WHERE message_id = ${messageId} AND file_id IS NOT NULL ORDER BY id`);
}

/** Removes the files of messages that are being deleted. */
export async function removeAttachments(ctx: Ctx, conversationId: string): Promise<void> {
  const rows = await ctx.db.rows<{ file_id: string | null }>(sql`
    DELETE FROM conversation_attachments a USING conversation_messages m
    WHERE m.id = a.message_id AND m.conversation_id = ${conversationId} RETURNING a.file_id`);
  for (const { file_id } of rows) if (file_id !== null) await ctx.files.remove(file_id);
}

/** Removes files that were uploaded for a message that nobody sent. */
async function prune(ctx: Ctx): Promise<{ deleted: number }> {
  const before = new Date(ctx.now().getTime() - day);
  const isLeft = sql`message_id IS NULL AND created_at < ${before}`;
  const rows = await ctx.db.rows<{ file_id: string | null }>(
    sql`SELECT file_id FROM conversation_attachments WHERE ${isLeft}`,
  );
  for (const { file_id } of rows) if (file_id !== null) await ctx.files.remove(file_id);
  return { deleted: await deleteInBatches(ctx.db, sql`conversation_attachments`, isLeft) };
}

export const attachmentJobs = {
  'conversations.prune_attachments': job({ data: Type.Object({}), schedule: '20 4 * * *', run: prune }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof attachmentJobs> {}
}
