import { type Ctx, maskPhone } from '@chowk/kit';
import type { Conversation, ConversationMessage, Member, MessageRecord } from './schemas.ts';

/** A conversation as it is kept; who takes part is for other modules to tell. */
export type Row = Omit<Conversation, 'customer' | 'assignee'>;

/** The conversations with their customers and those who take care of them, as the caller may see them. */
export async function withPeople(ctx: Ctx, rows: readonly Row[]): Promise<Conversation[]> {
  const [customers, members] = await Promise.all([
    contactsOf(ctx, [...new Set(rows.map(({ customer_id }) => customer_id))]),
    membersOf(
      ctx,
      rows.map(({ assignee_id }) => assignee_id),
    ),
  ]);
  return rows.map((row) => ({
    ...row,
    customer: customers.get(row.customer_id) ?? null,
    assignee: members.get(row.assignee_id) ?? null,
  }));
}

export async function withAuthors(ctx: Ctx, messages: readonly MessageRecord[]): Promise<ConversationMessage[]> {
  const members = await membersOf(
    ctx,
    messages.map(({ user_id }) => user_id),
  );
  return messages.map((message) => ({ ...message, user: members.get(message.user_id) ?? null }));
}

async function contactsOf(ctx: Ctx, ids: readonly string[]) {
  const found = await (await ctx.helpers('customers'))?.contacts({ ids });
  const all = ctx.can('customers.view_sensitive');
  const seen = [...(found ?? [])].map(([id, { phone, ...contact }]) => {
    return [id, { ...contact, phone: all || phone === null ? phone : maskPhone(phone) }] as const;
  });
  return new Map(seen);
}

/** Those of them who are members now: who has left is nobody any more. */
export async function membersOf(ctx: Ctx, ids: readonly (number | null)[]): Promise<Map<number | null, Member>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  if (wanted.length === 0) return new Map();
  return (await (await ctx.helpers('identity'))?.members({ ids: wanted })) ?? new Map();
}
