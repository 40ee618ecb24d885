import { systemAction } from '@chowk/kit';
import { getMember, removeMember, teamList, updateMember } from './team.ts';
import { ById, Member, MemberChanges, MemberRemoval } from './team-schemas.ts';

const tag = 'Team';
const notFound = ['identity.member_not_found'];
const notChangeable = [...notFound, 'identity.role_beyond_caller', 'identity.last_owner'];

export const teamActions = {
  'team.list': systemAction({
    summary: 'List members',
    tag,
    http: 'GET /team',
    graphql: 'team',
    needs: 'team.view',
    ...teamList.paged,
  }),
  'team.get': systemAction({
    summary: 'Get a member',
    tag,
    http: 'GET /team/:id',
    graphql: 'teamMember',
    needs: 'team.view',
    input: ById,
    output: Member,
    answer: { key: 'member' },
    errors: notFound,
    run: getMember,
  }),
  'team.update': systemAction({
    summary: 'Change the role of a member',
    description: 'Also needs `team.roles.assign`. The caller must hold the permissions of both roles.',
    tag,
    http: 'PATCH /team/:id',
    graphql: 'updateTeamMember',
    needs: 'team.edit',
    input: MemberChanges,
    output: Member,
    answer: { key: 'member', message: 'Role changed.' },
    errors: notChangeable,
    run: updateMember,
  }),
  'team.remove': systemAction({
    summary: 'Remove a member',
    description:
      'Access ends at once, and so do the personal access tokens and the API clients of the member in this tenant. The account ' +
      'is not deleted.',
    tag,
    http: 'DELETE /team/:id',
    graphql: 'removeTeamMember',
    needs: 'team.remove',
    input: MemberRemoval,
    answer: { message: 'Member removed.' },
    errors: [...notChangeable, 'http.precondition_failed', 'identity.session_only'],
    run: removeMember,
  }),
};
