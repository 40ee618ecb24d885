import { defineErrors } from '@chowk/kit';

export const errors = {
  'identity.two_factor_required': { status: 401, message: 'Send the code of your authenticator app as otp.' },
  'identity.bad_refresh_token': { status: 401, message: 'The refresh token is not valid any more; sign in again.' },
  'identity.session_only': {
    status: 403,
    message: 'Sign in yourself for this; a token that was made for a program may not.',
  },
  'identity.member_not_found': { status: 404, message: 'There is no member {id} in this tenant.' },
  'identity.last_owner': {
    status: 409,
    message: 'This is the last Owner, and a tenant needs one: make another member an Owner first.',
  },
  'identity.role_not_found': { status: 404, message: 'There is no role {id} in this tenant.' },
  'identity.role_is_system': {
    status: 409,
    message: 'The role {role} is the same in every tenant and stays as it is.',
  },
  'identity.role_in_use': { status: 409, message: 'The role {role} is in use: {members} have it.' },
  'identity.too_many_roles': { status: 409, message: 'A tenant has at most {most} roles of its own.' },
  'identity.role_beyond_caller': {
    status: 403,
    message: 'The role {role} may do what you may not, so it is not yours to give, change or take: {permissions}.',
  },
  'identity.permission_beyond_caller': {
    status: 403,
    message: 'You can grant only what you hold yourself, which is not so for: {permissions}.',
  },
  'identity.invitation_not_found': { status: 404, message: 'There is no such open invitation.' },
  'identity.invited_somebody_else': {
    status: 403,
    message: 'You are signed in as {email}, and this invitation is for another address. Sign out first.',
  },
  'identity.sign_in_to_accept': {
    status: 403,
    message: 'This account is protected by a second factor: sign in, then accept the invitation.',
  },
  'identity.already_member': { status: 409, message: 'You are a member of this tenant already.' },
} as const;

export const fail = defineErrors(errors);
