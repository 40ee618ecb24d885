import { type HelpersOf, type SystemCtx, sql, systemHelper, Type, UserId } from '@chowk/kit';

interface Member {
  readonly id: number;
  readonly name: string;
  readonly email: string;
}

/** What other modules may ask of this one. */
export const helpers = {
  members: systemHelper({
    summary: 'Find the members of the tenant among users, by id',
    description: 'Only people who may sign in.',
    input: Type.Object({ ids: Type.Array(UserId) }),
    run: (ctx, { ids }) => findMembers(ctx, ids),
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Helpers {
    identity: HelpersOf<typeof helpers>;
  }
}

/** People only: what API clients act as is no part of the team. */
async function findMembers(ctx: SystemCtx, ids: readonly number[]): Promise<Map<number, Member>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.central.rows<Member>(sql`
    SELECT u.id, u.name, u.email FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.tenant_id = ${ctx.tenant.id} AND m.user_id = ANY(${ids}::bigint[]) AND u.kind = 'person'
      AND u.disabled_at IS NULL`);
  return new Map(rows.map((row) => [row.id, row]));
}
