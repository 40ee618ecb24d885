import { action, type Ctx, forbidden, type Issues, NamedObject, type Static, sql, Type, UserId } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import type { Added } from './messages.ts';
import { Channel, type ConversationRecord, Member } from './schemas.ts';

export const AssignmentRules = Type.Array(
  Type.Object(
    {
      channel: Type.Optional(Channel),
      words: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 20 })),
      assignee_id: UserId,
    },
    { additionalProperties: false },
  ),
  { maxItems: 50, examples: [[{ channel: 'whatsapp', words: ['refund', 'return'], assignee_id: 7 }]] },
);
type AssignmentRule = Static<typeof AssignmentRules>[number];

/**
 * Assigns an unassigned conversation after a message came in: by the first rule that fits, else to the next member in turn. Only to members who
 * may answer and are available.
 */
export async function assignAutomatically(ctx: Ctx, { conversation, message }: Added): Promise<ConversationRecord> {
  const settings = await ctx.settings();
  const rules = settings['conversations.assignment_rules'];
  const isInTurn = settings['conversations.assignment'] === 'round_robin';
  if (conversation.assignee_id !== null || message.is_automatic || (rules.length === 0 && !isInTurn))
    return conversation;
  const agents = await findAgents(ctx);
  const text = `${conversation.subject}\n${message.body}`.toLowerCase();
  const rule = rules.find(
    (one) =>
      fits(one, conversation, text) &&
      agents.some(({ user, is_available }) => is_available && user.id === one.assignee_id),
  );
  const assignee =
    rule?.assignee_id ??
    (isInTurn
      ? await takeTurn(
          ctx,
          agents.map(({ user }) => user.id),
        )
      : undefined);
  if (assignee === undefined) return conversation;
  const assigned = await ctx.db.row<ConversationRecord>(sql`
    UPDATE conversations c SET assignee_id = ${assignee}, updated_at = ${ctx.now()} WHERE id = ${conversation.id}
    RETURNING ${recordColumns}`);
  return assigned as ConversationRecord;
}

/** The channel, if the rule names one, and one of its words, if it has some. */
function fits({ channel, words = [] }: AssignmentRule, conversation: ConversationRecord, text: string): boolean {
  if (channel !== undefined && channel !== conversation.channel) return false;
  return words.length === 0 || words.some((word) => text.includes(word.toLowerCase()));
}

/** The available member whose last turn is the longest ago. Turns are taken one after the other, until the commit. */
async function takeTurn(ctx: Ctx, members: readonly number[]): Promise<number | undefined> {
  await ctx.db.run(sql`SELECT pg_advisory_xact_lock(hashtextextended('conversations.assignment', 0))`);
  const row = await ctx.db.row<{ user_id: number }>(sql`
    INSERT INTO conversation_agents AS a (user_id, turn)
    SELECT m.id, (SELECT coalesce(max(turn), 0) + 1 FROM conversation_agents)
    FROM unnest(${members}::bigint[]) AS m (id) LEFT JOIN conversation_agents k ON k.user_id = m.id
    WHERE k.is_available IS NOT FALSE ORDER BY coalesce(k.turn, 0), m.id LIMIT 1
    ON CONFLICT (user_id) DO UPDATE SET turn = excluded.turn
    RETURNING user_id`);
  return row?.user_id;
}

const Agent = NamedObject('ConversationAgent', {
  user: Member,
  is_available: Type.Boolean({ description: 'Whether conversations are assigned to the member automatically.' }),
});
type Agent = Static<typeof Agent>;

/** The members who may answer. */
async function findAgents(ctx: Ctx): Promise<Agent[]> {
  const members = await ctx.bus.call('identity.members', { permissions: ['conversations.reply'] });
  const rows = await ctx.db.rows<{ user_id: number }>(
    sql`SELECT user_id FROM conversation_agents WHERE NOT is_available`,
  );
  const away = new Set(rows.map(({ user_id }) => user_id));
  return members
    .filter(({ permissions = [] }) => permissions.includes('conversations.reply'))
    .map(({ id, name, email }) => ({ user: { id, name, email }, is_available: !away.has(id) }));
}

const Availability = NamedObject('ConversationAvailability', {
  is_available: Type.Boolean({ description: 'Whether conversations are assigned to the member automatically.' }),
  user_id: Type.Optional({ ...UserId, description: 'Another member, with `conversations.assign`. Without it, you.' }),
});
type Availability = Static<typeof Availability>;

async function checkAgent(ctx: Ctx, { user_id: id }: Partial<Availability>, issues: Issues): Promise<void> {
  if (id === undefined || (await findAgents(ctx)).some(({ user }) => user.id === id)) return;
  issues.add('user_id', `The team has no member ${id} who may answer.`, 'unknown');
}

async function setAvailability(ctx: Ctx, { is_available, user_id = ctx.user.id }: Availability): Promise<Agent[]> {
  if (user_id !== ctx.user.id && !ctx.can('conversations.assign')) throw forbidden('conversations.assign');
  await ctx.db.run(sql`
    INSERT INTO conversation_agents (user_id, is_available) VALUES (${user_id}, ${is_available})
    ON CONFLICT (user_id) DO UPDATE SET is_available = excluded.is_available`);
  return findAgents(ctx);
}

const common = { output: Type.Array(Agent) } as const;

export const assignmentActions = {
  'conversations.listAgents': action({
    ...common,
    summary: 'List the members who answer, and whether they are available',
    http: 'GET /conversations/agents',
    graphql: 'conversationAgents',
    needs: 'conversations.view',
    answer: { key: 'agents' },
    run: findAgents,
  }),
  'conversations.setAvailability': action({
    ...common,
    summary: 'Set whether conversations are assigned to a member automatically',
    http: 'POST /conversations/availability',
    graphql: 'setConversationAvailability',
    needs: 'conversations.reply',
    input: Availability,
    answer: { key: 'agents', message: 'Availability saved.' },
    errors: ['auth.forbidden'],
    check: checkAgent,
    run: setAvailability,
  }),
};
