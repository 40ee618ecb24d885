import { createHash, randomBytes } from 'node:crypto';
import { type Ctx, deleteInBatches, type JobTypes, job, sql, Type } from '@chowk/kit';
import { fail } from './errors.ts';
import { readIdentity } from './identity-tokens.ts';
import type { NewSession, WidgetSession } from './schemas.ts';

const hour = 3_600_000;
const day = 24 * hour;
const lifetimeMs = 30 * day;
const maxSessionsPerHour = 20;
const maxMessagesPerMinute = 20;
/** The widget asks for news at least twice as often. */
const presenceMs = 60_000;
/** How exact `last_seen_at` is. */
const touchMs = 10_000;

export interface Session {
  readonly id: string;
  readonly subject: string | null;
  readonly email: string | null;
  readonly name: string | null;
  readonly conversation_id: string | null;
}

const columns = sql`id, subject, email, name, conversation_id`;

export async function startSession(ctx: Ctx, { identity, email }: NewSession): Promise<WidgetSession> {
  const person =
    identity === undefined ? { subject: null, email: email ?? null, name: null } : await readIdentity(ctx, identity);
  const token = randomBytes(32).toString('base64url');
  const channel = `widget.${randomBytes(24).toString('base64url')}`;
  const now = ctx.now();
  const expires_at = new Date(now.getTime() + lifetimeMs);
  const network = person.subject === null ? hash(`${ctx.tenant.id} ${ctx.client.site}`) : null;
  await ctx.tx(async (tx) => {
    if (network !== null) await mustBeFew(tx, network);
    const conversationId = await findConversation(tx, person.subject);
    await tx.db.run(sql`
      INSERT INTO widget_sessions (id, token_hash, channel, subject, email, name, conversation_id, network, counted_since,
        last_seen_at, expires_at, created_at)
      VALUES (${tx.newId()}, ${hash(token)}, ${channel}, ${person.subject}, ${person.email}, ${person.name}, ${conversationId},
        ${network}, ${now}, ${now}, ${expires_at}, ${now})`);
  });
  return { token, channel, expires_at: expires_at.toISOString() };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function mustBeFew(ctx: Ctx, network: string): Promise<void> {
  // Sessions of one network that start at the same time wait for each other.
  await ctx.db.run(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`widget ${network}`}, 0))`);
  const since = new Date(ctx.now().getTime() - hour);
  const { count } = (await ctx.db.row<{ count: number }>(sql`
    SELECT count(*)::int AS count FROM widget_sessions WHERE network = ${network} AND created_at > ${since}`)) as {
    count: number;
  };
  if (count >= maxSessionsPerHour) throw fail('widget.too_many_sessions', {}, { headers: { 'Retry-After': '3600' } });
}

/** A visitor whom the shop has identified goes on with the same conversation on every device. */
async function findConversation(ctx: Ctx, subject: string | null): Promise<string | null> {
  if (subject === null) return null;
  const row = await ctx.db.row<{ conversation_id: string }>(sql`
    SELECT conversation_id FROM widget_sessions WHERE subject = ${subject} AND conversation_id IS NOT NULL
    ORDER BY last_seen_at DESC LIMIT 1`);
  return row?.conversation_id ?? null;
}

/** The session of a token, whose visitor is there now. */
export async function useSession(ctx: Ctx, token: string): Promise<Session> {
  const now = ctx.now();
  const session = await ctx.db.row<Session & { is_stale: boolean }>(sql`
    SELECT ${columns}, last_seen_at < ${new Date(now.getTime() - touchMs)} AS is_stale FROM widget_sessions
    WHERE token_hash = ${hash(token)} AND expires_at > ${now}`);
  if (!session) throw fail('widget.unknown_session');
  if (session.is_stale) {
    const expires_at = new Date(now.getTime() + lifetimeMs);
    await ctx.db.run(sql`
      UPDATE widget_sessions SET last_seen_at = ${now}, expires_at = ${expires_at} WHERE id = ${session.id}`);
  }
  return session;
}

/** Counts a message, and locks the session: its messages are added one after the other. */
export async function countMessage(ctx: Ctx, { id }: Session): Promise<Session> {
  const now = ctx.now();
  const isOver = sql`counted_since < ${new Date(now.getTime() - 60_000)}`;
  const session = await ctx.db.row<Session & { sent_count: number }>(sql`
    UPDATE widget_sessions SET sent_count = CASE WHEN ${isOver} THEN 1 ELSE sent_count + 1 END,
      counted_since = CASE WHEN ${isOver} THEN ${now} ELSE counted_since END
    WHERE id = ${id} RETURNING ${columns}, sent_count`);
  if (!session) throw fail('widget.unknown_session');
  if (session.sent_count > maxMessagesPerMinute) {
    throw fail('widget.too_many_messages', {}, { headers: { 'Retry-After': '60' } });
  }
  return session;
}

/** Whether a visitor of the conversation is there now; `null` if it has no visitor. */
export async function planForVisitor(ctx: Ctx, { conversation_id }: { conversation_id: string }) {
  const since = new Date(ctx.now().getTime() - presenceMs);
  const row = await ctx.db.row<{ is_present: boolean | null }>(sql`
    SELECT bool_or(last_seen_at > ${since}) AS is_present FROM widget_sessions
    WHERE conversation_id = ${conversation_id} AND expires_at > ${ctx.now()}`);
  return row && row.is_present !== null ? { is_present: row.is_present } : null;
}

async function prune(ctx: Ctx): Promise<{ deleted: number }> {
  const now = ctx.now().getTime();
  await ctx.db.run(sql`
    UPDATE widget_sessions SET network = NULL WHERE network IS NOT NULL AND created_at < ${new Date(now - day)}`);
  return { deleted: await deleteInBatches(ctx.db, sql`widget_sessions`, sql`expires_at < ${new Date(now)}`) };
}

export const sessionJobs = {
  'widget.prune_sessions': job({ data: Type.Object({}), schedule: '50 4 * * *', run: prune }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof sessionJobs> {}
}
