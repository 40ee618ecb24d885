import { systemAction, Type, Uuid } from '@chowk/kit';
import { acceptInvitation, checkAcceptance, getInvitation, joinedMessage } from './invitation-acceptance.ts';
import {
  Acceptance,
  Accepted,
  Invitation,
  InvitationToken,
  NewInvitation,
  OpenInvitation,
} from './invitation-schemas.ts';
import {
  checkInvitation,
  createInvitation,
  invitationList,
  resendInvitation,
  revokeInvitation,
} from './invitations.ts';

const tag = 'Team';
/** The path parameter is the id for members and the token for the invited person. */
const ById = Type.Object({ invitation: { ...Uuid, description: 'Its id.' } });
const byId = {
  tag,
  needs: 'team.invite',
  input: ById,
  errors: ['identity.invitation_not_found', 'identity.role_beyond_caller', 'http.precondition_failed'],
} as const;
const byToken = { tag, public: true, tenant: 'none' } as const;

export const invitationActions = {
  'invitations.list': systemAction({
    summary: 'List open invitations',
    tag,
    http: 'GET /invitations',
    graphql: 'invitations',
    needs: 'team.view',
    ...invitationList.paged,
  }),
  'invitations.create': systemAction({
    summary: 'Invite a team member',
    description:
      'Mails a link to join with a role. The caller must hold the permissions of the role. Replaces an open invitation to ' +
      'the same address.',
    tag,
    http: 'POST /invitations',
    graphql: 'createInvitation',
    needs: 'team.invite',
    input: NewInvitation,
    output: Invitation,
    answer: { key: 'invitation', message: 'Invitation sent.', status: 201 },
    errors: ['identity.role_beyond_caller'],
    check: checkInvitation,
    run: createInvitation,
  }),
  'invitations.delete': systemAction({
    ...byId,
    summary: 'Withdraw an invitation',
    http: 'DELETE /invitations/:invitation',
    graphql: 'withdrawInvitation',
    answer: { message: 'Invitation withdrawn.' },
    run: revokeInvitation,
  }),
  'invitations.resend': systemAction({
    ...byId,
    summary: 'Resend an invitation',
    description: 'Mails a new link; the old one becomes invalid.',
    http: 'POST /invitations/:invitation/resend',
    graphql: 'resendInvitation',
    output: Invitation,
    answer: { key: 'invitation', message: 'Invitation resent.' },
    run: resendInvitation,
  }),
  'invitations.get': systemAction({
    ...byToken,
    summary: 'Get the invitation of a mailed link',
    http: 'GET /invitations/:invitation',
    input: InvitationToken,
    output: OpenInvitation,
    answer: { key: 'invitation' },
    errors: ['identity.invitation_not_found'],
    run: getInvitation,
  }),
  'invitations.accept': systemAction({
    ...byToken,
    summary: 'Accept an invitation',
    description: 'Creates an account (201), or uses an existing one by its session or its password (200).',
    http: 'POST /invitations/:invitation/accept',
    input: Acceptance,
    output: Accepted,
    answer: { message: joinedMessage, status: ({ account_created }) => (account_created ? 201 : 200) },
    responses: { 201: { description: 'A new account was created.' } },
    errors: [
      'identity.wrong_account',
      'identity.session_only',
      'identity.sign_in_to_accept',
      'identity.already_member',
      'auth.password_exposed',
      'auth.too_many_attempts',
      'auth.busy',
    ],
    check: checkAcceptance,
    run: acceptInvitation,
  }),
};
