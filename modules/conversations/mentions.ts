import { type Ctx, sql } from '@chowk/kit';
import type { Message, MessageRecord } from './schemas.ts';

interface Mention {
  readonly message_id: string;
  readonly user_id: number;
}

/** Records the members whom a note names: `@` and the name. */
export async function addMentions(ctx: Ctx, { id, direction, body }: MessageRecord): Promise<void> {
  if (direction !== 'note' || !body.includes('@')) return;
  const users = findNamed(body, await ctx.bus.call('identity.members', {}));
  await ctx.db.run(sql`INSERT INTO conversation_mentions SELECT ${id}, unnest(${users}::bigint[])`);
}

/** Further ones are not searched. */
const maxMentions = 50;

/** At each `@` those with the longest name: in `@Asha Rao`, not a colleague who is called Asha. */
export function findNamed(text: string, members: readonly { readonly id: number; readonly name: string }[]): number[] {
  const lower = text.toLowerCase();
  const named = new Set<number>();
  for (const { index } of lower.matchAll(/@/g).take(maxMentions)) {
    const rest = lower.slice(index + 1);
    const found = members.filter(({ name }) => beginsWith(rest, name.toLowerCase()));
    const longest = Math.max(...found.map(({ name }) => name.length));
    for (const { id, name } of found) if (name.length === longest) named.add(id);
  }
  return [...named];
}

/** Not if the name is the beginning of a longer word. */
function beginsWith(text: string, name: string): boolean {
  return name !== '' && text.startsWith(name) && !/^[\p{L}\p{N}]/u.test(text.slice(name.length));
}

export function findMentions(ctx: Ctx, messageIds: readonly string[]): Promise<Mention[]> {
  return ctx.db.rows<Mention>(sql`
    SELECT message_id, user_id FROM conversation_mentions WHERE message_id = ANY(${messageIds}::uuid[]) ORDER BY user_id`);
}

export async function withMentions(ctx: Ctx, messages: readonly Omit<Message, 'mentions'>[]): Promise<Message[]> {
  const notes = messages.filter(({ direction }) => direction === 'note').map(({ id }) => id);
  const mentions = notes.length === 0 ? [] : await findMentions(ctx, notes);
  const byMessage = Map.groupBy(mentions, ({ message_id }) => message_id);
  return messages.map((message) => ({
    ...message,
    mentions: (byMessage.get(message.id) ?? []).map(({ user_id }) => user_id),
  }));
}
