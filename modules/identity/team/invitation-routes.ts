import { Answer, Message, Pagination, Paging, type Route, systemRoute, Type, Uuid } from '@chowk/kit';
import { Acceptance, Accepted, acceptInvitation, OpenInvitation, showInvitation } from './invitation-acceptance.ts';
import { Invitation, invite, listInvitations, resendInvitation, revokeInvitation } from './invitations.ts';
import { NewInvitation } from './team-schemas.ts';

const tag = 'Team';
const InvitationMessage = Type.Object({ ...Message.properties, invitation: Invitation });

/** One place in the path is the id for those who invite and the token for who was invited. */
const ById = Type.Object({ invitation: { ...Uuid, description: 'Its id.' } });
const ByToken = Type.Object({
  invitation: Type.String({ minLength: 1, maxLength: 200, description: 'The token of the mailed link.' }),
});

export const invitationRoutes: Route[] = [
  systemRoute({
    method: 'GET',
    path: '/invitations',
    tag,
    summary: 'Invitations that were not accepted yet, the newest first.',
    needs: 'team.view',
    query: Paging,
    answer: Type.Object({ invitations: Type.Array(Invitation), pagination: Pagination }),
    run: (ctx, { query }) => listInvitations(ctx, query),
  }),
  systemRoute({
    method: 'POST',
    path: '/invitations',
    tag,
    summary: 'Mails somebody a link to join with a role that may do no more than the caller.',
    needs: 'team.invite',
    status: 201,
    body: NewInvitation,
    answer: InvitationMessage,
    run: async (ctx, { body }) => ({ message: 'The invitation was sent.', invitation: await invite(ctx, body) }),
  }),
  systemRoute({
    method: 'DELETE',
    path: '/invitations/:invitation',
    tag,
    summary: 'Withdraws an invitation.',
    needs: 'team.invite',
    params: ById,
    answer: Message,
    run: async (ctx, { params }) => {
      await revokeInvitation(ctx, { id: params.invitation });
      return { message: 'The invitation was withdrawn.' };
    },
  }),
  systemRoute({
    method: 'POST',
    path: '/invitations/:invitation/resend',
    tag,
    summary: 'Mails a new link; the old one is good for nothing from now on.',
    needs: 'team.invite',
    params: ById,
    answer: InvitationMessage,
    run: async (ctx, { params }) => ({
      message: 'The invitation was sent again.',
      invitation: await resendInvitation(ctx, { id: params.invitation }),
    }),
  }),
  systemRoute({
    method: 'GET',
    path: '/invitations/:invitation',
    tag,
    summary: 'What a mailed link invites to.',
    public: true,
    tenant: 'none',
    params: ByToken,
    answer: Type.Object({ invitation: OpenInvitation }),
    run: async (ctx, { params }) => ({ invitation: await showInvitation(ctx, params.invitation) }),
  }),
  systemRoute({
    method: 'POST',
    path: '/invitations/:invitation/accept',
    tag,
    summary:
      'Joins the tenant: with a new account (201), or with the one there is, by its session or its password (200).',
    public: true,
    tenant: 'none',
    params: ByToken,
    body: Acceptance,
    answer: Accepted,
    also: { 201: { description: 'A new account was made for it.', body: Accepted } },
    run: async (ctx, { params, body }) => {
      const accepted = await acceptInvitation(ctx, params.invitation, body);
      return new Answer(accepted.body, { status: accepted.created ? 201 : 200 });
    },
  }),
];
