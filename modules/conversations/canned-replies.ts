import {
  action,
  ById,
  type Ctx,
  columnsFor,
  Default,
  Line,
  NamedObject,
  Nullable,
  type Static,
  sql,
  Text,
  Timestamp,
  Type,
  UserId,
  Uuid,
} from '@chowk/kit';
import { fail } from './errors.ts';

/** All of them are loaded at once, with the reply box. */
const maxReplies = 500;

const NewCannedReply = NamedObject('NewCannedReply', {
  title: Line(100, { examples: ['Delivery times'] }),
  body: Text(20_000, {
    description: '`{name}` becomes the first name of the customer.',
    examples: ['Hello {name}, it takes three days.'],
  }),
  is_shared: Default(Type.Boolean({ description: 'For the whole team. Otherwise only you see it.' }), true),
});
type NewCannedReply = Static<typeof NewCannedReply>;
const { title, body } = NewCannedReply.properties;
const CannedReplyChanges = NamedObject('CannedReplyChanges', {
  id: Uuid,
  title: Type.Optional(title),
  body: Type.Optional(body),
  is_shared: Type.Optional(Type.Boolean()),
});
const CannedReply = NamedObject('CannedReply', {
  id: Uuid,
  title: Type.String(),
  body: Type.String(),
  is_shared: Type.Boolean(),
  user_id: { ...Nullable(UserId), description: 'Who wrote it.' },
  created_at: Timestamp,
  updated_at: Timestamp,
});
type CannedReply = Static<typeof CannedReply>;

const columns = columnsFor(CannedReply, sql`r`);
const isVisible = (ctx: Ctx) => sql`(r.is_shared OR r.user_id = ${ctx.userId ?? null})`;

async function listReplies(ctx: Ctx): Promise<{ canned_replies: CannedReply[] }> {
  const rows = await ctx.db.rows<CannedReply>(sql`
    SELECT ${columns} FROM canned_replies r WHERE ${isVisible(ctx)} ORDER BY fold(r.title), r.id`);
  return { canned_replies: rows };
}

async function createReply(ctx: Ctx, { title, body, is_shared }: NewCannedReply): Promise<CannedReply> {
  const now = ctx.now();
  const created = await ctx.db.row<CannedReply>(sql`
    INSERT INTO canned_replies AS r (id, title, body, is_shared, user_id, created_at, updated_at)
    SELECT ${ctx.newId()}, ${title}, ${body}, ${is_shared}, ${ctx.userId ?? null}, ${now}, ${now}
    WHERE (SELECT count(*) FROM canned_replies) < ${maxReplies}
    RETURNING ${columns}`);
  if (!created) throw fail('conversations.too_many_replies', { max: maxReplies });
  return created;
}

async function updateReply(ctx: Ctx, { id, ...changes }: Static<typeof CannedReplyChanges>): Promise<CannedReply> {
  const { title = null, body = null, is_shared = null } = changes;
  const saved = await ctx.db.row<CannedReply>(sql`
    UPDATE canned_replies r SET title = coalesce(${title}, title), body = coalesce(${body}, body),
      is_shared = coalesce(${is_shared}::boolean, is_shared), updated_at = ${ctx.now()}
    WHERE id = ${id} AND ${isVisible(ctx)} RETURNING ${columns}`);
  if (!saved) throw fail('conversations.reply_not_found', { id });
  return saved;
}

async function deleteReply(ctx: Ctx, { id }: { id: string }): Promise<void> {
  const deleted = await ctx.db.run(sql`DELETE FROM canned_replies r WHERE id = ${id} AND ${isVisible(ctx)}`);
  if (deleted === 0) throw fail('conversations.reply_not_found', { id });
}

const needs = 'conversations.reply';

export const cannedReplyActions = {
  'conversations.listCannedReplies': action({
    summary: 'List canned replies',
    description: 'Those of the team and your own.',
    http: 'GET /canned-replies',
    graphql: 'cannedReplies',
    needs,
    output: Type.Object({ canned_replies: Type.Array(CannedReply) }),
    run: listReplies,
  }),
  'conversations.createCannedReply': action({
    summary: 'Create a canned reply',
    http: 'POST /canned-replies',
    graphql: 'createCannedReply',
    needs,
    input: NewCannedReply,
    output: CannedReply,
    answer: { key: 'canned_reply', message: 'Canned reply saved.', status: 201 },
    errors: ['conversations.too_many_replies'],
    run: createReply,
  }),
  'conversations.updateCannedReply': action({
    summary: 'Change a canned reply',
    http: 'PATCH /canned-replies/:id',
    graphql: 'updateCannedReply',
    needs,
    input: CannedReplyChanges,
    output: CannedReply,
    answer: { key: 'canned_reply', message: 'Canned reply saved.' },
    errors: ['conversations.reply_not_found'],
    run: updateReply,
  }),
  'conversations.deleteCannedReply': action({
    summary: 'Delete a canned reply',
    http: 'DELETE /canned-replies/:id',
    graphql: 'deleteCannedReply',
    needs,
    input: ById,
    answer: { message: 'Canned reply deleted.' },
    errors: ['conversations.reply_not_found'],
    run: deleteReply,
  }),
};
