import { type Ctx, changesBetween, Failure, type Issues, invalid, removedFields, sql } from '@chowk/kit';
import { type Account, locate, MailboxProblem } from './connection.ts';
import { fail } from './errors.ts';
import type { Selection } from './read-mails.ts';
import type { ImapInput, ImapMailbox } from './schemas.ts';

const day = 24 * 3_600_000;
const minute = 60_000;
/** If a fetch that was queued does not report back within this time, another one is queued. */
export const leaseMs = 15 * minute;
const lowestUnreservedPort = 1_024;

type Options = Omit<ImapInput, 'password'>;

/** The mailbox of the tenant as it is stored. */
export interface StoredMailbox extends Options, Omit<Selection, 'since' | 'folder' | 'mark_seen'> {
  readonly id: string;
  /** Sealed. */
  readonly password: string;
  readonly since: string;
  readonly attempts: number;
  readonly fetched_at: string | null;
  readonly next_fetch_at: string;
  readonly failures: number;
  readonly failing_since: string | null;
  readonly failure: string | null;
  readonly is_reported: boolean;
  readonly updated_at: string;
}

export function storedMailbox(ctx: Ctx): Promise<StoredMailbox | undefined> {
  return ctx.db.row<StoredMailbox>(sql`
    SELECT id, address, host, port, security, username, password, folder, import_days, mark_seen, since,
      uid_validity::text AS uid_validity, last_uid::float8 AS last_uid, attempts, fetched_at, next_fetch_at, failures, failing_since,
      failure, is_reported, updated_at
    FROM imap_mailboxes`);
}

/** The address of the mailbox; null if there is none. */
export async function findAddress(ctx: Ctx): Promise<string | null> {
  const row = await ctx.db.row<{ address: string }>(sql`SELECT address FROM imap_mailboxes`);
  return row?.address ?? null;
}

export function openAccount(ctx: Ctx, { id, password, ...mailbox }: StoredMailbox): Account {
  return { ...mailbox, password: ctx.secrets.open(id, password) };
}

export async function getMailbox(ctx: Ctx): Promise<ImapMailbox> {
  const mailbox = await storedMailbox(ctx);
  if (!mailbox) throw fail('mailbox.imap_not_found');
  return shown(mailbox);
}

function shown(mailbox: StoredMailbox): ImapMailbox {
  const { fetched_at, failing_since, failure, next_fetch_at, updated_at } = mailbox;
  return { ...pickOptions(mailbox), last_fetched_at: fetched_at, failing_since, failure, next_fetch_at, updated_at };
}

function pickOptions({ address, host, port, security, username, folder, import_days, mark_seen }: Options): Options {
  return { address, host, port, security, username, folder, import_days, mark_seen };
}

/** Refuses hosts and ports to which the platform opens no connection. A host that cannot be found now is accepted. */
export async function checkMailbox(ctx: Ctx, input: Partial<ImapInput>, issues: Issues): Promise<void> {
  const { host, port, security } = input;
  if (port !== undefined && port !== 993 && port !== 143 && port < lowestUnreservedPort) {
    issues.add('port', 'The port must be 993, 143 or above 1023.', 'not_allowed');
  }
  if (host === undefined || port === undefined || security === undefined) return;
  try {
    await locate(ctx, { host, port, security });
  } catch (error) {
    if (!(error instanceof MailboxProblem)) throw error;
    const isTemporary = error.cause instanceof Failure && error.cause.status !== 422;
    if (!isTemporary) issues.add(error.field ?? 'host', error.message, 'not_allowed');
  }
}

/** The account with the password that was sent, or with the stored one if it is that of the same account. */
export function withPassword(ctx: Ctx, input: ImapInput, stored: StoredMailbox | undefined): Account {
  const { password } = input;
  if (password !== undefined) return { ...input, password };
  // The password must not be sent to another server.
  if (stored && isSameAccount(stored, input)) return { ...input, password: openAccount(ctx, stored).password };
  throw invalid({ password: { code: 'required', message: 'Enter the password for this account.' } });
}

function isSameAccount(one: Options, other: Options): boolean {
  const fields = ['host', 'port', 'security', 'username'] as const;
  return fields.every((field) => one[field] === other[field]);
}

/** Starts from the beginning with another folder or account. Fetches at once. */
export async function saveMailbox(ctx: Ctx, input: ImapInput): Promise<ImapMailbox> {
  return ctx.tx(async (tx) => {
    await tx.db.run(sql`LOCK TABLE imap_mailboxes IN SHARE ROW EXCLUSIVE MODE`);
    const current = await storedMailbox(tx);
    const { password } = withPassword(tx, input, current);
    const options = pickOptions(input);
    const id = current?.id ?? tx.newId();
    const nothing = Object.fromEntries(Object.keys(options).map((field) => [field, null]));
    tx.audit(changesBetween<object>(current ? pickOptions(current) : nothing, options));
    await upsert(tx, {
      id,
      ...options,
      password: tx.secrets.seal(id, password),
      ...startingPoint(tx, current, options),
    });
    await tx.jobs.add('mailbox.fetch_imap', {});
    return shown((await storedMailbox(tx)) as StoredMailbox);
  });
}

type StartingPoint = Pick<StoredMailbox, 'uid_validity' | 'last_uid' | 'attempts' | 'fetched_at'> & {
  readonly since: Date;
};

function startingPoint(ctx: Ctx, current: StoredMailbox | undefined, options: Options): StartingPoint {
  const isSame = current && current.host === options.host && current.username === options.username;
  if (isSame && current.folder === options.folder && current.import_days === options.import_days) {
    const { uid_validity, last_uid, attempts, fetched_at, since } = current;
    return { uid_validity, last_uid, attempts, fetched_at, since: new Date(since) };
  }
  // Servers know seconds only.
  const now = Math.floor(ctx.now().getTime() / minute) * minute;
  const first = now - options.import_days * day;
  // The folder may have been renamed a while ago.
  const known = isSame && current.fetched_at ? new Date(current.fetched_at).getTime() : now;
  return { uid_validity: null, last_uid: 0, attempts: 0, fetched_at: null, since: new Date(Math.min(first, known)) };
}

type NewRow = Options & StartingPoint & Pick<StoredMailbox, 'id' | 'password'>;

async function upsert(ctx: Ctx, row: NewRow): Promise<void> {
  const { id, address, host, port, security, username, password, folder, import_days, mark_seen } = row;
  const { since, uid_validity, last_uid, attempts, fetched_at } = row;
  const now = ctx.now();
  const next = new Date(now.getTime() + leaseMs);
  await ctx.db.run(sql`
    INSERT INTO imap_mailboxes (id, address, host, port, security, username, password, folder, import_days, mark_seen, since,
      uid_validity, last_uid, attempts, fetched_at, next_fetch_at, created_at, updated_at)
    VALUES (${id}, ${address}, ${host}, ${port}, ${security}, ${username}, ${password}, ${folder}, ${import_days}, ${mark_seen},
      ${since}, ${uid_validity}, ${last_uid}, ${attempts}, ${fetched_at}, ${next}, ${now}, ${now})
    ON CONFLICT (id) DO UPDATE SET address = excluded.address, host = excluded.host, port = excluded.port,
      security = excluded.security, username = excluded.username, password = excluded.password, folder = excluded.folder,
      import_days = excluded.import_days, mark_seen = excluded.mark_seen, since = excluded.since,
      uid_validity = excluded.uid_validity, last_uid = excluded.last_uid, attempts = excluded.attempts,
      fetched_at = excluded.fetched_at, next_fetch_at = excluded.next_fetch_at, failures = 0, failing_since = NULL,
      failure = NULL, is_reported = false, updated_at = excluded.updated_at`);
}

/** Its mails stay where they are, and the messages too. */
export async function deleteMailbox(ctx: Ctx): Promise<void> {
  await ctx.tx(async (tx) => {
    const current = await storedMailbox(tx);
    if (!current) throw fail('mailbox.imap_not_found');
    await tx.db.run(sql`DELETE FROM imap_mailboxes`);
    tx.audit(removedFields(pickOptions(current)));
  });
}
