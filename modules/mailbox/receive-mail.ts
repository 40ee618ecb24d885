import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type Ctx, NullableEmail, sql, Type } from '@chowk/kit';
import { findConversation } from './addresses.ts';
import { header, isAutomatic, type ReadMail } from './automatic.ts';
import { readBounce } from './bounces.ts';
import { splitQuoted } from './quoted-text.ts';

interface RawMail {
  /** As it came: headers and content. */
  readonly mail: Uint8Array | Readable;
  /** The address that it came to. Default: the first `Delivered-To`. */
  readonly recipient?: string | null;
}

interface Received {
  /** The message of a conversation; null if none was added. */
  readonly message_id: string | null;
  /** `known`: it was received before. `bounce`: a report about a mail of the tenant. */
  readonly status: 'added' | 'known' | 'bounce';
}

const day = 24 * 3_600_000;
/** As many as can be imported. An older date is taken for a wrong one. */
const maxDays = 90;
/** A person does not write more mails in a minute. */
const maxPerMinute = 20;
const maxAnswers = 50;

/** Adds a mail of a mailbox to a conversation, once, with the time at which it was written. Its content is not to be trusted. */
export async function receiveRawMail(ctx: Ctx, { mail: raw, recipient = null }: RawMail): Promise<Received> {
  const mail = await ctx.readMail(raw);
  return receiveMail(ctx, { mail, recipient, sentAt: readDate(ctx, mail) }, async () => {});
}

/** `undefined` without a date that may be true. */
function readDate(ctx: Ctx, mail: ReadMail): Date | undefined {
  const [time, now] = [Date.parse(header(mail, 'date')), ctx.now().getTime()];
  return time <= now && time > now - maxDays * day ? new Date(time) : undefined;
}

interface Arrival {
  readonly mail: ReadMail;
  readonly recipient: string | null;
  /** Default: now. */
  readonly sentAt?: Date | undefined;
}

/** With `finish` in the transaction that adds the message. */
export async function receiveMail(
  ctx: Ctx,
  { mail, recipient, sentAt }: Arrival,
  finish: (tx: Ctx) => Promise<void>,
): Promise<Received> {
  const id = messageId(mail);
  const hashes = { id_hash: hash(id), sender_hash: hash(mail.from?.address.toLowerCase() ?? '') };
  const bounce = readBounce(ctx, mail);
  const earlier = await findEarlier(ctx, hashes);
  if (bounce || earlier.is_known) {
    await ctx.tx(async (tx) => {
      if (bounce?.hasFailed) {
        await tx.bus.callIfInstalled('notifications.recordBounce', { id: bounce.id, reason: bounce.reason });
      }
      await finish(tx);
    });
    return { message_id: null, status: bounce ? 'bounce' : 'known' };
  }
  const attachments = await storeAttachments(ctx, mail);
  const is_automatic = isAutomatic(mail) || earlier.is_often;
  return ctx.tx(async (tx) => {
    const added = await tx.bus.callIfInstalled('conversations.receive', {
      channel: 'email',
      external_id: `email:${id}`,
      ...readSender(tx, mail),
      ...readThread(tx, mail, recipient ?? header(mail, 'delivered-to')),
      subject: mail.subject,
      ...readContent(mail, attachments),
      is_automatic,
      attachment_ids: [...attachments.values()],
      ...(sentAt && { sent_at: sentAt.toISOString() }),
    });
    if (!added) throw new Error('the mail waits: the tenant does not have the module conversations');
    await Promise.all([
      tx.db.run(sql`
        INSERT INTO mailbox_mails (id_hash, sender_hash, received_at)
        VALUES (${hashes.id_hash}, ${hashes.sender_hash}, ${tx.now()}) ON CONFLICT (id_hash) DO NOTHING`),
      finish(tx),
    ]);
    return { message_id: added.message_id, status: added.is_new ? 'added' : 'known' };
  });
}

/** Without angle brackets. A mail without one gets one of its content. */
function messageId(mail: ReadMail): string {
  const [id] = mailIds(header(mail, 'message-id'));
  if (id !== undefined) return id;
  const { headers, text, html, attachments } = mail;
  const files = attachments.map(({ fileName, content }) => [fileName, hash(content)]);
  return `${hash(JSON.stringify([headers, text, html, files]))}@no-message-id`;
}

function mailIds(text: string): string[] {
  return [...text.matchAll(/<([^<>\s]{1,900})>/g)].map(([, id]) => id as string);
}

function hash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

interface Hashes {
  readonly id_hash: string;
  readonly sender_hash: string;
}

interface Earlier {
  readonly is_known: boolean;
  /** Whether the sender writes more often than a person. */
  readonly is_often: boolean;
}

async function findEarlier(ctx: Ctx, { id_hash, sender_hash }: Hashes): Promise<Earlier> {
  const since = new Date(ctx.now().getTime() - 60_000);
  return (await ctx.db.row<Earlier>(sql`
    SELECT EXISTS (SELECT FROM mailbox_mails WHERE id_hash = ${id_hash}) AS is_known,
      (SELECT count(*) FROM (
        SELECT FROM mailbox_mails WHERE sender_hash = ${sender_hash} AND received_at > ${since} LIMIT ${maxPerMinute}) AS mails
      ) >= ${maxPerMinute} AS is_often`)) as Earlier;
}

/** The ids of the stored attachments, by their number. */
async function storeAttachments(ctx: Ctx, { attachments }: ReadMail): Promise<Map<number, string>> {
  const ids = new Map<number, string>();
  for (const [index, { fileName, content }] of attachments.entries()) {
    const file = { file_name: fileName, content };
    const id = await ctx.bus.callIfInstalled('conversations.storeAttachment', file);
    if (id !== undefined) ids.set(index, id);
  }
  return ids;
}

const Sender = Type.Object({ email: NullableEmail });

/** An address that no customer can have is left out. */
function readSender(ctx: Ctx, { from }: ReadMail) {
  const address = from?.address ?? null;
  const isValid = ctx.check(Sender, { email: address }) === undefined;
  const [first_name = '', ...others] = (from?.name ?? '').split(' ').filter(Boolean);
  const names = { first_name: first_name.slice(0, 255), last_name: others.join(' ').slice(0, 255) };
  return { customer: { email: isValid ? address : null, ...(first_name && names) }, contact: isValid ? address : null };
}

function readThread(ctx: Ctx, mail: ReadMail, recipient: string) {
  const conversation_id = findConversation(ctx, recipient);
  const references = mailIds(header(mail, 'references')).reverse();
  const answers = [...mailIds(header(mail, 'in-reply-to')), ...references].map((id) => `email:${id}`);
  return { answers: answers.slice(0, maxAnswers), ...(conversation_id !== undefined && { conversation_id }) };
}

const unreadable =
  'This mail could not be read: it is nested too deeply or too large. Ask the sender to send it again.';

function readContent(
  { isComplete, text, html, attachments, omittedCount }: ReadMail,
  ids: ReadonlyMap<number, string>,
) {
  const { body, quoted } = splitQuoted(text);
  const omitted = omittedCount === 0 ? '' : `\n\n[${omittedCount} more attachments were not kept.]`;
  return {
    body: isComplete ? body + omitted : unreadable,
    quoted,
    html: html && nameAttachments(html, attachments, ids),
  };
}

/** Pictures of the mail are named by their attachments. */
function nameAttachments(html: string, attachments: ReadMail['attachments'], ids: ReadonlyMap<number, string>): string {
  return html.replace(/ data-content-id="([^"]*)"/g, (_, contentId: string) => {
    const id = ids.get(attachments.findIndex((one) => one.contentId === contentId.replaceAll('&amp;', '&')));
    return id === undefined ? '' : ` data-attachment="${id}"`;
  });
}
