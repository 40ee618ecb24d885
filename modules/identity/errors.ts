import { defineErrors } from '@chowk/kit';

export const errors = {
  'auth.busy': { status: 503, message: 'Too many sign-ins at the moment. Try again in a few seconds.' },
  'auth.too_many_attempts': { status: 429, message: 'Too many attempts at the same time. Try again in a second.' },
  'auth.password_exposed': {
    status: 403,
    message:
      'Another person may know this password. Set a new one with the link that was mailed to you, or request a link.',
  },
  'identity.two_factor_required': { status: 401, message: 'Send the code of your authenticator app as `otp`.' },
  'identity.two_factor_locked': {
    status: 429,
    message: 'Too many wrong codes. Try again in {minutes} minutes, or choose a new password.',
  },
  'identity.bad_refresh_token': {
    status: 401,
    message: 'The refresh token is invalid or was already used. Sign in again.',
  },
  'identity.session_only': {
    status: 403,
    message: 'This needs a session in which you have signed in. Tokens of devices and programs are not accepted.',
  },
  'identity.session_not_found': { status: 404, message: 'You have no session with this id.' },
  'identity.token_not_found': { status: 404, message: 'You have no token with this id.' },
  'identity.too_many_tokens': { status: 409, message: 'You have {max} tokens, the maximum. Revoke one first.' },
  'identity.two_factor_on': { status: 409, message: 'Two-factor authentication is already on.' },
  'identity.two_factor_off': { status: 409, message: 'Two-factor authentication is off.' },
  'identity.two_factor_not_begun': { status: 409, message: 'Request a secret first: POST /api/v1/profile/two-factor.' },
  'identity.api_client_not_found': { status: 404, message: 'There is no API client with this id in this tenant.' },
  'identity.api_client_changed': {
    status: 409,
    message: 'The scopes of the API client were changed at the same time. Read it again, then repeat the change.',
  },
  'identity.too_many_api_clients': {
    status: 409,
    message: 'A tenant can have at most {max} API clients. Delete one first.',
  },
  'identity.scope_not_held': {
    status: 403,
    message: 'An API client can have only permissions that you hold. You do not hold: {permissions}.',
  },
  'identity.device_not_found': {
    status: 404,
    message: 'The code is unknown or has expired. Start again on the device.',
  },
  // The errors of RFC 6749, 7009 and 8628.
  'identity.invalid_request': { status: 400, message: 'The request is invalid: {reason}.' },
  'identity.invalid_client': { status: 400, message: 'The client is unknown or its secret is wrong.' },
  'identity.invalid_grant': { status: 400, message: 'The grant is invalid: {reason}.' },
  'identity.unauthorized_client': { status: 400, message: 'This client may not use this grant type.' },
  'identity.unsupported_grant_type': {
    status: 400,
    message: 'The grant_type is not supported. The metadata lists the supported ones.',
  },
  'identity.invalid_scope': { status: 400, message: 'The scope is invalid: {reason}.' },
  'identity.unsupported_response_type': { status: 400, message: 'The response_type must be code.' },
  'identity.invalid_target': { status: 400, message: 'The resource must be an address of this platform.' },
  'identity.invalid_redirect_uri': { status: 400, message: 'A redirect URI is invalid: {reason}' },
  'identity.invalid_client_metadata': { status: 400, message: 'The metadata of the client is invalid: {reason}.' },
  'identity.unknown_app': { status: 400, message: 'There is no app with this client_id.' },
  'identity.wrong_redirect_uri': {
    status: 400,
    message: 'The redirect_uri is missing or not registered for this app. It must be exactly the same.',
  },
  'identity.no_organization': {
    status: 400,
    message: 'Choose the organization that the app gets access to: by its address or by X-Tenant.',
  },
  'identity.other_organization': {
    status: 409,
    message: 'The app asks for access to another organization. Choose that one.',
  },
  'identity.app_not_found': { status: 404, message: 'There is no such app in this tenant.' },
  'identity.app_without_secret': { status: 409, message: 'This app has no secret.' },
  'identity.app_grant_not_found': { status: 404, message: 'There is no such approved app.' },
  'identity.too_many_apps': { status: 409, message: 'A tenant can have at most {max} apps. Delete one first.' },
  'identity.authorization_pending': { status: 400, message: 'The user has not decided yet. Try again.' },
  'identity.slow_down': { status: 400, message: 'Polling too fast. Wait {seconds} seconds between two requests.' },
  'identity.access_denied': { status: 400, message: 'The user denied the request.' },
  'identity.expired_token': { status: 400, message: 'The device code has expired. Request a new one.' },
  'identity.member_not_found': { status: 404, message: 'There is no member {id} in this tenant.' },
  'identity.last_owner': {
    status: 409,
    message: 'This is the last Owner. Assign the role Owner to another member first.',
  },
  'identity.role_not_found': { status: 404, message: 'There is no role {id} in this tenant.' },
  'identity.role_is_system': {
    status: 409,
    message: 'The role {role} is a system role and cannot be changed.',
  },
  'identity.role_in_use': {
    status: 409,
    message: 'The role {role} is assigned to {members}. Assign them another role first.',
  },
  'identity.too_many_roles': {
    status: 409,
    message: 'A tenant can have at most {max} custom roles. Delete one first.',
  },
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
    message: 'This invitation is invalid: it was used, withdrawn or replaced, or has expired. Request a new one.',
  },
  'identity.wrong_account': {
    status: 403,
    message: 'You are signed in as {email}, but this invitation is for another address. Sign out first.',
  },
  'identity.sign_in_to_accept': {
    status: 403,
    message: 'This account uses two-factor authentication. Sign in first, then accept the invitation.',
  },
  'identity.already_member': { status: 409, message: 'You are already a member of this tenant.' },
} as const;

export const fail = defineErrors(errors);
