import type { Ctx } from '@chowk/kit';
import type { Conversation, Member, Message, MessageRecord } from './schemas.ts';

/** A conversation without data of other modules. */
export type Row = Omit<Conversation, 'customer' | 'assignee'>;

/** Adds customers and assignees. */
export async function withPeople(ctx: Ctx, rows: readonly Row[]): Promise<Conversation[]> {
  const ids = [...new Set(rows.map(({ customer_id }) => customer_id))];
  const assignees = rows.map(({ assignee_id }) => assignee_id);
  const [customers, members] = await Promise.all([
    ctx.bus.callIfInstalled('customers.listContacts', { ids }),
    findMembers(ctx, assignees),
  ]);
  const byId = new Map((customers ?? []).map((customer) => [customer.id, customer]));
  return rows.map((row) => ({
    ...row,
    customer: byId.get(row.customer_id) ?? null,
    assignee: members.get(row.assignee_id) ?? null,
  }));
}

export async function withAuthors(
  ctx: Ctx,
  messages: readonly MessageRecord[],
): Promise<Omit<Message, 'attachments' | 'mentions'>[]> {
  const authors = messages.map(({ user_id }) => user_id);
  const members = await findMembers(ctx, authors);
  return messages.map((message) => ({ ...message, user: members.get(message.user_id) ?? null }));
}

/** The users who are members of the team now, by id. */
export async function findMembers(ctx: Ctx, ids: readonly (number | null)[]): Promise<Map<number | null, Member>> {
  const users = [...new Set(ids)].filter((id) => id !== null);
  if (users.length === 0) return new Map();
  const members = await ctx.bus.call('identity.members', { ids: users });
  return new Map(members.map((member) => [member.id, member]));
}

/** What a visitor sees of the name of a member. */
export function firstName(name: string): string {
  return name.split(' ')[0] as string;
}
