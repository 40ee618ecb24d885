import { Message, type Route, signedIn, systemRoute, Type } from '@chowk/kit';
import { Me, Password, TokenAnswer, UserSummary } from '../schemas.ts';
import { refresh, signIn, signOut } from './login.ts';
import { showMe } from './me.ts';

const tag = 'Signing in';
const RefreshToken = Type.String({ minLength: 1, maxLength: 500 });

export const loginRoutes: Route[] = [
  systemRoute({
    method: 'POST',
    path: '/auth/login',
    tag,
    summary: 'Signs in with email and password and, where two-factor authentication is on, a code.',
    public: true,
    tenant: 'optional',
    body: Type.Object({
      email: Type.String({ minLength: 1, maxLength: 254 }),
      password: Password,
      otp: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 50,
          description: 'A code of the authenticator app or a recovery code.',
        }),
      ),
    }),
    answer: Type.Object({ ...TokenAnswer.properties, user: UserSummary }),
    also: {
      401: {
        description: 'The password is right and a code is needed: ask for it and send all three.',
        body: Type.Object({ two_factor_required: Type.Literal(true) }),
      },
      429: { description: 'Too many have failed; `Retry-After` says for how long to wait.' },
    },
    run: (ctx, { body }) => signIn(ctx, body),
  }),
  systemRoute({
    method: 'POST',
    path: '/auth/refresh',
    tag,
    summary: 'The next pair of tokens. A refresh token is good once; one that is used again ends its session.',
    public: true,
    tenant: 'optional',
    body: Type.Object({ refresh_token: RefreshToken }),
    answer: TokenAnswer,
    run: (ctx, { body }) => refresh(ctx, body.refresh_token),
  }),
  systemRoute({
    method: 'POST',
    path: '/auth/logout',
    tag,
    summary: 'Ends the session of the refresh token, or of the bearer token where none is given.',
    public: true,
    tenant: 'optional',
    body: Type.Object({ refresh_token: Type.Optional(RefreshToken) }),
    answer: Message,
    run: async (ctx, { body }) => {
      await signOut(ctx, body.refresh_token);
      return { message: 'You are signed out.' };
    },
  }),
  systemRoute({
    method: 'GET',
    path: '/auth/me',
    tag,
    summary: 'Who is signed in, its tenants, and in tenant context what it may do there.',
    needs: signedIn,
    tenant: 'optional',
    answer: Me,
    run: showMe,
  }),
];
