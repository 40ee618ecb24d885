import { defineErrors } from '@chowk/kit';

export const errors = {
  'identity.two_factor_required': { status: 401, message: 'Send the code of your authenticator app as otp.' },
  'identity.bad_refresh_token': { status: 401, message: 'The refresh token is not valid any more; sign in again.' },
  'identity.session_only': {
    status: 403,
    message: 'Sign in yourself for this; a token that was made for a program may not.',
  },
  'identity.session_not_found': { status: 404, message: 'You have no such session.' },
  'identity.token_not_found': { status: 404, message: 'You have no such token.' },
  'identity.too_many_tokens': { status: 409, message: 'You have {most} tokens; revoke one first.' },
  'identity.two_factor_on': { status: 409, message: 'Two-factor authentication is on already.' },
  'identity.two_factor_off': { status: 409, message: 'Two-factor authentication is off.' },
  'identity.two_factor_not_begun': { status: 409, message: 'Ask for a secret first: POST /api/v1/profile/two-factor.' },
  'identity.api_client_not_found': { status: 404, message: 'There is no such API client here.' },
  'identity.too_many_api_clients': {
    status: 409,
    message: 'A tenant has at most {most} API clients; delete one first.',
  },
  'identity.scope_not_held': {
    status: 403,
    message: 'The permission {scope} can only be in the hands of an API client of someone who holds it.',
  },
  'identity.device_not_found': { status: 404, message: 'There is no such code, or it is over. Ask for a new one.' },
  // As RFC 6749, 7009 and 8628 name them.
  'identity.invalid_request': { status: 400, message: 'The request is not as it should be: {reason}.' },
  'identity.invalid_client': { status: 400, message: 'The client is unknown or its secret is wrong.' },
  'identity.invalid_grant': { status: 400, message: 'What was given for a token is not valid: {reason}.' },
  'identity.unauthorized_client': { status: 400, message: 'This client may not ask for tokens in this way.' },
  'identity.unsupported_grant_type': { status: 400, message: 'There is no such grant_type; the metadata lists them.' },
  'identity.invalid_scope': { status: 400, message: 'The scope is not valid: {reason}.' },
  'identity.authorization_pending': { status: 400, message: 'The user has not decided yet; ask again.' },
  'identity.slow_down': { status: 400, message: 'Too fast: wait {seconds} seconds between two questions.' },
  'identity.access_denied': { status: 400, message: 'The user said no.' },
  'identity.expired_token': { status: 400, message: 'The time to decide is over; ask for a new device code.' },
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
  'identity.invitation_not_found': {
    status: 404,
    message: 'This invitation is not open: it was used, withdrawn or replaced, or it has expired. Ask for a new one.',
  },
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
