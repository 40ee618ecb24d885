import {
  Answer,
  action,
  type Ctx,
  Default,
  extend,
  type Issues,
  NamedObject,
  Nullable,
  type Static,
  sql,
  Type,
  UserId,
} from '@chowk/kit';
import { findMembers } from './people.ts';
import { Channel, Member } from './schemas.ts';

const maxDays = 366;
const dayMs = 24 * 3_600_000;

const Day = Type.String({ format: 'date', examples: ['2026-01-31'] });
const Range = Type.Object({
  from: { ...Day, description: "The first day, in the tenant's time zone." },
  to: { ...Day, description: `The last day, at most ${maxDays} days in all.` },
});
type Range = Static<typeof Range>;

const seconds = (description: string) => ({ ...Nullable(Type.Integer()), description });
const figures = {
  answered: Type.Integer({ description: 'Conversations whose customer got the first answer.' }),
  first_answer_seconds: seconds('From the first message of the customer to the first answer, on average.'),
  first_answer_median_seconds: seconds('Half of the first answers took at most this long.'),
  resolved: Type.Integer({ description: 'Conversations that were closed and are still closed.' }),
  resolution_seconds: seconds('From the beginning of the conversation to its closing, on average.'),
  resolution_median_seconds: seconds('Half of them took at most this long.'),
  sent: Type.Integer({ description: 'Messages to customers that were handed over to a mail server or a provider.' }),
  delivered: Type.Integer({ description: 'Those that were delivered or read. For mails: that the mail server took.' }),
  delivered_share: { ...Nullable(Type.Number()), description: '`delivered` by `sent`, from 0 to 1.' },
};
const Figures = NamedObject('ConversationFigureTotals', figures);
type Figures = Static<typeof Figures>;
const DayFigures = NamedObject('ConversationDayFigures', { day: Day, ...figures });
const MemberFigures = NamedObject('ConversationMemberFigures', {
  user_id: UserId,
  user: { ...Nullable(Member), description: 'Null after the member has left.' },
  ...figures,
});
const ChannelFigures = NamedObject('ConversationChannelFigures', { channel: Channel, ...figures });
const ConversationFigures = NamedObject('ConversationFigures', {
  totals: Figures,
  days: Type.Array(DayFigures, { description: 'Days on which something happened.' }),
  members: Type.Array(MemberFigures, {
    description: 'Who answered first, who closed, and who wrote the messages. Without what programs did.',
  }),
  channels: Type.Array(ChannelFigures, { description: 'Channels on which something happened.' }),
});
type ConversationFigures = Static<typeof ConversationFigures>;

type Row = Figures & {
  readonly day: string | null;
  readonly user_id: number | null;
  readonly channel: Static<typeof Channel> | null;
  readonly level: number;
};

async function checkRange(_ctx: Ctx, { from, to }: Partial<Range>, issues: Issues): Promise<void> {
  if (from === undefined || to === undefined) return;
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  if (days < 1) issues.add('to', 'The last day must not be before the first.');
  if (days > maxDays) issues.add('to', `There can be at most ${maxDays} days.`);
}

async function getFigures(ctx: Ctx, range: Range): Promise<ConversationFigures> {
  const rows = await readFigures(ctx, range);
  const members = await findMembers(
    ctx,
    rows.map(({ user_id }) => user_id),
  );
  const ofLevel = (level: number) => rows.filter((row) => row.level === level);
  return {
    totals: toFigures(ofLevel(levels.all)[0] as Row),
    days: ofLevel(levels.day).map((row) => ({ day: row.day as string, ...toFigures(row) })),
    members: ofLevel(levels.member).flatMap((row) =>
      row.user_id === null ? [] : [{ user_id: row.user_id, user: members.get(row.user_id) ?? null, ...toFigures(row) }],
    ),
    channels: ofLevel(levels.channel).flatMap((row) =>
      row.channel === null ? [] : [{ channel: row.channel, ...toFigures(row) }],
    ),
  };
}

/** The values of `grouping(day, user_id, channel)`. */
const levels = { day: 3, member: 5, channel: 6, all: 7 };

async function readFigures(ctx: Ctx, { from, to }: Range): Promise<Row[]> {
  const { 'general.timezone': zone } = await ctx.settings();
  const begin = sql`(${from}::date::timestamp AT TIME ZONE ${zone})`;
  const end = sql`((${to}::date + 1)::timestamp AT TIME ZONE ${zone})`;
  return ctx.db.rows<Row>(sql`
    WITH facts AS (
      SELECT first_answer_at AS at, first_answer_by AS user_id, channel, 'answer' AS kind,
        extract(epoch FROM first_answer_at - first_inbound_at) AS seconds, NULL::boolean AS is_delivered
      FROM conversations WHERE first_answer_at >= ${begin} AND first_answer_at < ${end}
      UNION ALL
      SELECT closed_at, closed_by, channel, 'resolution', extract(epoch FROM closed_at - created_at), NULL
      FROM conversations WHERE closed_at >= ${begin} AND closed_at < ${end}
      UNION ALL
      SELECT m.sent_at, m.user_id, c.channel, 'message', NULL,
        m.delivery_status IN ('delivered', 'read') OR (m.delivery_status = 'sent' AND c.channel = 'email')
      FROM conversation_messages m JOIN conversations c ON c.id = m.conversation_id
      WHERE m.delivery_status IN ('sent', 'delivered', 'read', 'failed') AND m.sent_at >= ${begin} AND m.sent_at < ${end}
    ), dated AS (SELECT *, to_char(at AT TIME ZONE ${zone}, 'YYYY-MM-DD') AS day FROM facts)
    SELECT day, user_id, channel, grouping(day, user_id, channel) AS level,
      count(*) FILTER (WHERE kind = 'answer') AS answered,
      round(avg(seconds) FILTER (WHERE kind = 'answer'))::float8 AS first_answer_seconds,
      round(percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE kind = 'answer')) AS first_answer_median_seconds,
      count(*) FILTER (WHERE kind = 'resolution') AS resolved,
      round(avg(seconds) FILTER (WHERE kind = 'resolution'))::float8 AS resolution_seconds,
      round(percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE kind = 'resolution')) AS resolution_median_seconds,
      count(*) FILTER (WHERE kind = 'message') AS sent,
      count(*) FILTER (WHERE is_delivered) AS delivered
    FROM dated GROUP BY GROUPING SETS ((), (day), (user_id), (channel)) ORDER BY level, day, user_id, channel`);
}

function toFigures({ day: _, user_id: __, channel: ___, level: ____, ...row }: Row): Figures {
  return { ...row, delivered_share: row.sent === 0 ? null : Math.round((row.delivered / row.sent) * 1e4) / 1e4 };
}

const Export = extend(Range, {
  group_by: Type.Enum(['day', 'member', 'channel'], { graphqlType: 'ConversationFigureGroup' }),
  format: Default(Type.Enum(['csv', 'json']), 'csv'),
});

async function exportFigures(ctx: Ctx, { group_by, format, ...range }: Static<typeof Export>): Promise<Answer> {
  const { days, members, channels } = await getFigures(ctx, range);
  const rows = {
    day: days,
    member: members.map(({ user, ...row }) => ({ ...row, name: user?.name ?? null })),
    channel: channels,
  }[group_by];
  const keys = { day: ['day'], member: ['user_id', 'name'], channel: ['channel'] }[group_by];
  return Answer.download<object>(ctx, {
    name: `conversations-by-${group_by}`,
    format,
    rows: inTurn(rows),
    fields: [...keys, ...Object.keys(figures)],
  });
}

async function* inTurn(rows: readonly object[]): AsyncGenerator<object> {
  yield* rows;
}

export const figureActions = {
  'conversations.figures': action({
    summary: 'Get figures of the team by day, member and channel',
    description: 'Times of first answers and resolutions, and the share of messages that were delivered.',
    http: 'GET /conversations/figures',
    graphql: 'conversationFigures',
    needs: 'conversations.view',
    input: Range,
    output: ConversationFigures,
    check: checkRange,
    run: getFigures,
  }),
  'conversations.exportFigures': action({
    summary: 'Export figures of the team by day, member or channel',
    http: 'GET /conversations/figures/export',
    needs: 'conversations.view',
    input: Export,
    file: Answer.fileTypes,
    audited: true,
    check: checkRange,
    run: exportFigures,
  }),
};
