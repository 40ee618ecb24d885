import { defineErrors } from '@chowk/kit';

export const errors = {
  'auth.busy': { status: 503, message: 'Too many sign-ins at the moment. Try again in a few seconds.' },
  'identity.two_factor_required': { status: 401, message: 'Send the code of your authenticator app as otp.' },
  'identity.bad_refresh_token': { status: 401, message: 'The refresh token is not valid any more. Sign in again.' },
  'identity.session_only': {
    status: 403,
    message: 'Sign in for this. A token that was made for a program is not enough.',
  },
  'identity.session_not_found': { status: 404, message: 'You have no such session.' },
  'identity.token_not_found': { status: 404, message: 'You have no such token.' },
  'identity.too_many_tokens': { status: 409, message: 'You have {max} tokens, the maximum. Revoke one first.' },
  'identity.two_factor_on': { status: 409, message: 'Two-factor authentication is on already.' },
  'identity.two_factor_off': { status: 409, message: 'Two-factor authentication is off.' },
  'identity.two_factor_not_begun': { status: 409, message: 'Request a secret first: POST /api/v1/profile/two-factor.' },
  'identity.api_client_not_found': { status: 404, message: 'There is no such API client here.' },
  'identity.too_many_api_clients': {
    status: 409,
    message: 'A tenant has at most {most} API clients; delete one first.',
  },
  'identity.scope_not_held': {
    status: 403,
    message: 'An API client can have only permissions that you hold. You do not hold: {permissions}.',
  },
  'identity.device_not_found': { status: 404, message: 'There is no such code, or it has expired. Request a new one.' },
  // As RFC 6749, 7009 and 8628 name them.
  'identity.invalid_request': { status: 400, message: 'The request is invalid: {reason}.' },
  'identity.invalid_client': { status: 400, message: 'The client is unknown or its secret is wrong.' },
  'identity.invalid_grant': { status: 400, message: 'The grant is invalid: {reason}.' },
  'identity.unauthorized_client': { status: 400, message: 'This client may not use this grant type.' },
  'identity.unsupported_grant_type': { status: 400, message: 'There is no such grant_type. The metadata lists them.' },
  'identity.invalid_scope': { status: 400, message: 'The scope is invalid: {reason}.' },
  'identity.authorization_pending': { status: 400, message: 'The user has not decided yet. Try again.' },
  'identity.slow_down': { status: 400, message: 'Too fast: wait {seconds} seconds between two requests.' },
  'identity.access_denied': { status: 400, message: 'The user denied the request.' },
  'identity.expired_token': { status: 400, message: 'The device code has expired. Request a new one.' },
  'identity.member_not_found': { status: 404, message: 'There is no member {id} in this tenant.' },
  'identity.last_owner': {
    status: 409,
    message: 'This is the last Owner. Make another member an Owner first.',
  },
  'identity.role_not_found': { status: 404, message: 'There is no role {id} in this tenant.' },
  'identity.role_is_system': {
    status: 409,
    message: 'The role {role} is the same in every tenant and cannot be changed.',
  },
  'identity.role_in_use': { status: 409, message: 'The role {role} is in use: {members} have it.' },
  'identity.too_many_roles': { status: 409, message: 'A tenant has at most {most} roles of its own.' },
  'identity.role_beyond_caller': {
    status: 403,
    message:
      'You can assign, change or remove the role {role} only if you hold its permissions. You lack: {permissions}.',
  },
  'identity.permission_beyond_caller': {
    status: 403,
    message: 'You can grant only permissions that you hold. You do not hold: {permissions}.',
  },
  'identity.invitation_not_found': {
    status: 404,
    message: 'This invitation is not valid: it was used, withdrawn or replaced, or it has expired. Ask for a new one.',
  },
  'identity.invited_somebody_else': {
    status: 403,
    message: 'You are signed in as {email}, but this invitation is for another address. Sign out first.',
  },
  'identity.sign_in_to_accept': {
    status: 403,
    message: 'This account has two-factor authentication. Sign in, then accept the invitation.',
  },
  'identity.already_member': { status: 409, message: 'You are a member of this tenant already.' },
} as const;

export const fail = defineErrors(errors);
