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
} as const;

export const fail = defineErrors(errors);
