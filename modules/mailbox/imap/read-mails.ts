import type { Ctx } from '@chowk/kit';
import type { FetchQueryObject, ImapFlow, MailboxObject } from 'imapflow';
import { type Account, MailboxProblem, maxMailBytes, withConnection } from './connection.ts';
import { withNote } from './with-note.ts';

/** Which mails of a folder are read. */
export interface Selection {
  readonly folder: string;
  /** Mails that came before are not read. */
  readonly since: Date;
  /** Mails up to `last_uid` are known, as long as the folder has this UIDVALIDITY. */
  readonly uid_validity: string | null;
  readonly last_uid: number;
  readonly mark_seen: boolean;
}

/** A step through the folder: the mails up to `last_uid` are read, the last one of them is `file`. */
export interface Step {
  readonly file: Uint8Array | null;
  readonly uid_validity: string;
  readonly last_uid: number;
  /** No newer mail is left. */
  readonly isComplete: boolean;
}

/** One tenant must not occupy a worker for long. */
const maxMails = 100;
const turnMs = 30_000;
const limitMs = 120_000;
const day = 24 * 3_600_000;

/**
 * Reads the new mails of a folder in the order in which they came. When the consumer asks for the next step, the mail of this one has
 * been stored.
 */
export function readMails(ctx: Ctx, account: Account, selection: Selection): AsyncGenerator<Step> {
  return withConnection(ctx, account, { limitMs }, (client) => readFolder(ctx, client, selection));
}

async function* readFolder(ctx: Ctx, client: ImapFlow, selection: Selection): AsyncGenerator<Step> {
  const { since, mark_seen } = selection;
  const { uidValidity, uidNext } = await openFolder(client, selection.folder, { readOnly: !mark_seen });
  const uid_validity = String(uidValidity ?? 0);
  const known = uid_validity === selection.uid_validity ? selection.last_uid : 0;
  const uids = await findUids(client, known, since);
  const deadline = Date.now() + turnMs;
  const batch = uids.slice(0, maxMails);
  for (const { uid, size, internalDate } of await readSizes(client, batch)) {
    if (Date.now() > deadline) return;
    // A search knows days only.
    if (internalDate < since) continue;
    const file = await readMail(client, uid, size);
    if (!file) continue;
    yield { file, uid_validity, last_uid: uid, isComplete: false };
    if (mark_seen) await markSeen(ctx, client, uid);
  }
  const isComplete = batch.length === uids.length;
  const lastUid = batch.at(-1) ?? known;
  yield {
    file: null,
    uid_validity,
    last_uid: isComplete ? Math.max(lastUid, (uidNext ?? 1) - 1) : lastUid,
    isComplete,
  };
}

export async function openFolder(
  client: ImapFlow,
  folder: string,
  { readOnly }: { readonly readOnly: boolean },
): Promise<MailboxObject> {
  try {
    return await client.mailboxOpen(folder, { readOnly });
  } catch (error) {
    const { responseStatus, mailboxMissing } = error as { responseStatus?: string; mailboxMissing?: boolean };
    if (!responseStatus) throw error;
    const message = mailboxMissing ? `There is no folder ${folder}.` : `The folder ${folder} cannot be opened.`;
    throw new MailboxProblem('folder', message, error);
  }
}

async function findUids(client: ImapFlow, known: number, since: Date): Promise<number[]> {
  // Servers compare with the date in their own time zone.
  const query = { uid: `${known + 1}:*`, since: new Date(since.getTime() - day) };
  const found = await client.search(query, { uid: true });
  if (!found) throw new MailboxProblem(null, 'The server does not answer a search.');
  // `n:*` has the newest mail even if its number is smaller.
  return found.filter((uid) => uid > known).sort((one, other) => one - other);
}

interface MailSize {
  readonly uid: number;
  readonly size: number;
  readonly internalDate: Date;
}

async function readSizes(client: ImapFlow, uids: readonly number[]): Promise<MailSize[]> {
  if (uids.length === 0) return [];
  const found = await client.fetchAll([...uids], { uid: true, size: true, internalDate: true }, { uid: true });
  mustBeOpen(client);
  return found
    .map(({ uid, size = 0, internalDate }) => ({ uid, size, internalDate: new Date(internalDate ?? 0) }))
    .sort((one, other) => one.uid - other.uid);
}

/** The mail, or its headers with a note; `undefined` if it has been deleted. */
async function readMail(client: ImapFlow, uid: number, size: number): Promise<Uint8Array | undefined> {
  if (size <= maxMailBytes) {
    const mail = await readPart(client, uid, { source: { maxLength: maxMailBytes + 1 } });
    if (!mail?.source || mail.source.length <= maxMailBytes) return mail?.source;
  }
  const mail = await readPart(client, uid, { headers: true });
  const megabytes = Math.ceil(size / 1_000_000);
  return mail?.headers && withNote(mail.headers, `This mail is too large (${megabytes} MB). Read it in your mailbox.`);
}

async function readPart(client: ImapFlow, uid: number, query: FetchQueryObject) {
  const mail = await client.fetchOne(uid, query, { uid: true });
  mustBeOpen(client);
  return mail || undefined;
}

/** Without a connection imapflow finds nothing, as if the mails were deleted. */
function mustBeOpen(client: ImapFlow): void {
  if (!client.usable) throw new MailboxProblem(null, 'The server closed the connection or was too slow.');
}

/** A mailbox that is full or read-only may refuse it. */
async function markSeen(ctx: Ctx, client: ImapFlow, uid: number): Promise<void> {
  try {
    await client.messageFlagsAdd(uid, ['\\Seen'], { uid: true });
  } catch (err) {
    ctx.log.warn({ err, tenant: ctx.tenant.id }, 'a mail could not be marked as read');
  }
}
