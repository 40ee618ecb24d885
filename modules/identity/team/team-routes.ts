import { Message, Pagination, type Route, systemRoute, Type } from '@chowk/kit';
import { changeRole, getMember, listTeam, removeMember } from './team.ts';
import { ById, Member, RoleReference, TeamQuery } from './team-schemas.ts';

const tag = 'Team';

export const teamRoutes: Route[] = [
  systemRoute({
    method: 'GET',
    path: '/team',
    tag,
    summary: 'The people of the tenant.',
    needs: 'team.view',
    query: TeamQuery,
    answer: Type.Object({ team: Type.Array(Member), pagination: Pagination }),
    run: (ctx, { query }) => listTeam(ctx, query),
  }),
  systemRoute({
    method: 'GET',
    path: '/team/:id',
    tag,
    summary: 'One member.',
    needs: 'team.view',
    params: ById,
    answer: Type.Object({ member: Member }),
    run: async (ctx, { params }) => ({ member: await getMember(ctx, params) }),
  }),
  systemRoute({
    method: 'PATCH',
    path: '/team/:id',
    tag,
    summary: 'Gives a member another role; needs team.roles.assign as well, and all that both roles may do.',
    needs: 'team.edit',
    params: ById,
    body: Type.Object({ role: RoleReference }),
    answer: Type.Object({ ...Message.properties, member: Member }),
    run: async (ctx, { params, body }) => ({
      message: 'The role was changed.',
      member: await changeRole(ctx, params, body),
    }),
  }),
  systemRoute({
    method: 'DELETE',
    path: '/team/:id',
    tag,
    summary: 'Removes a member, whose access ends at once; its account stays.',
    needs: 'team.remove',
    params: ById,
    answer: Message,
    run: async (ctx, { params }) => {
      await removeMember(ctx, params);
      return { message: 'The member was removed.' };
    },
  }),
];
