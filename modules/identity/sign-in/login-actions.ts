import { extend, named, signedIn, systemAction, Type } from '@chowk/kit';
import { Me, Password, TokenAnswer, UserSummary } from '../schemas.ts';
import { refresh, signIn, signOut } from './login.ts';
import { getMe } from './me.ts';

/** Not audited: anyone can try to sign in at a tenant's address. The activity log records sign-ins of members. */
const open = { tag: 'Sign-in', public: true, tenant: 'optional', audited: false } as const;
const RefreshToken = Type.String({ minLength: 1, maxLength: 500 });

export const loginActions = {
  'auth.login': systemAction({
    ...open,
    summary: 'Sign in',
    description: 'With email, password and, if two-factor authentication is on, a code.',
    http: 'POST /auth/login',
    input: named(
      'Credentials',
      Type.Object({
        email: Type.String({ minLength: 1, maxLength: 254, trim: true, lowercase: true }),
        password: Password,
        otp: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 50,
            description: 'A code of the authenticator app or a recovery code.',
          }),
        ),
      }),
    ),
    output: extend(TokenAnswer, { user: UserSummary }),
    errors: [
      'identity.two_factor_required',
      'identity.two_factor_locked',
      'auth.password_exposed',
      'auth.too_many_attempts',
      'auth.busy',
    ],
    responses: {
      401: {
        description: 'The password is correct and a code is required: send email, password and `otp`.',
        body: Type.Object({ two_factor_required: Type.Literal(true) }),
      },
      429: { description: 'Too many failures; `Retry-After` says how long to wait.' },
    },
    run: signIn,
  }),
  'auth.refresh': systemAction({
    ...open,
    summary: 'Refresh the tokens of a session',
    description:
      'A refresh token can be used once. The same client may send it again within 30 seconds, if the answer was lost, and gets ' +
      'the same tokens; otherwise using it again ends its session.',
    http: 'POST /auth/refresh',
    input: Type.Object({ refresh_token: RefreshToken }),
    output: TokenAnswer,
    errors: ['identity.bad_refresh_token'],
    run: refresh,
  }),
  'auth.logout': systemAction({
    ...open,
    summary: 'Sign out',
    description: 'Ends the session of the refresh token or, without one, of the bearer token.',
    http: 'POST /auth/logout',
    input: Type.Object({ refresh_token: Type.Optional(RefreshToken) }),
    answer: { message: 'You are signed out.' },
    run: signOut,
  }),
  'auth.me': systemAction({
    summary: 'Get the signed-in user',
    description: 'With the tenants of the user and, in tenant context, the role and permissions.',
    tag: 'Sign-in',
    http: 'GET /auth/me',
    graphql: 'me',
    needs: signedIn,
    tenant: 'optional',
    output: Me,
    run: getMe,
  }),
};
