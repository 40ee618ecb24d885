import { defineErrors } from '@chowk/kit';

export const errors = {
  'identity.two_factor_required': { status: 401, message: 'Send the code of your authenticator app as otp.' },
  'identity.bad_refresh_token': { status: 401, message: 'The refresh token is not valid any more; sign in again.' },
  'identity.session_only': {
    status: 403,
    message: 'Sign in yourself for this; a token that was made for a program may not.',
  },
} as const;

export const fail = defineErrors(errors);
