import { Message, type Route, signedIn, systemRoute, Type, Uuid } from '@chowk/kit';
import { NewToken, Password, Profile, ProfileChanges, SessionItem, TokenItem } from '../schemas.ts';
import { limitFailures } from '../sign-in/limit-failures.ts';
import { mustBeOwnSession, mustBeSure } from './own-session.ts';
import { listTokens, makeToken, revokeToken } from './personal-tokens.ts';
import { changeProfile, showProfile } from './profile.ts';
import { endOtherSessions, endSession, listSessions } from './sessions.ts';
import { beginTwoFactor, confirmTwoFactor, endTwoFactor, newRecoveryCodes } from './two-factor.ts';

const own = { tag: 'Profile', needs: signedIn, tenant: 'optional' } as const;
const ById = Type.Object({ id: Uuid });
const Sure = Type.Object({
  password: Type.Optional({ ...Password, description: 'Needed when the last sign-in is more than 15 minutes ago.' }),
});
const RecoveryCodes = Type.Object({ message: Type.String(), recovery_codes: Type.Array(Type.String()) });

export const profileRoutes: Route[] = [
  systemRoute({
    ...own,
    method: 'GET',
    path: '/profile',
    summary: 'The profile of who is signed in.',
    answer: Type.Object({ profile: Profile }),
    run: async (ctx) => ({ profile: await showProfile(ctx) }),
  }),
  systemRoute({
    ...own,
    method: 'PATCH',
    path: '/profile',
    summary: 'Changes name, language or time zone. Email and password have paths of their own.',
    body: ProfileChanges,
    answer: Type.Object({ message: Type.String(), profile: Profile }),
    run: async (ctx, { body }) => {
      mustBeOwnSession(ctx);
      return { message: 'Your profile was saved.', profile: await changeProfile(ctx, body) };
    },
  }),
  systemRoute({
    ...own,
    method: 'GET',
    path: '/profile/sessions',
    summary: 'Where you are signed in.',
    answer: Type.Object({ sessions: Type.Array(SessionItem) }),
    run: async (ctx) => {
      mustBeOwnSession(ctx);
      return { sessions: await listSessions(ctx) };
    },
  }),
  systemRoute({
    ...own,
    method: 'DELETE',
    path: '/profile/sessions',
    summary: 'Signs you out everywhere but here.',
    answer: Type.Object({ message: Type.String(), count: Type.Integer() }),
    run: async (ctx) => {
      mustBeOwnSession(ctx);
      return { message: 'You are signed out everywhere else.', count: await endOtherSessions(ctx) };
    },
  }),
  systemRoute({
    ...own,
    method: 'DELETE',
    path: '/profile/sessions/:id',
    summary: 'Signs you out in one place.',
    params: ById,
    answer: Message,
    run: async (ctx, { params }) => {
      mustBeOwnSession(ctx);
      await endSession(ctx, params.id);
      return { message: 'The session was ended.' };
    },
  }),
  systemRoute({
    ...own,
    method: 'GET',
    path: '/profile/tokens',
    summary: 'Your personal access tokens.',
    answer: Type.Object({ tokens: Type.Array(TokenItem) }),
    run: async (ctx) => {
      mustBeOwnSession(ctx);
      return { tokens: await listTokens(ctx) };
    },
  }),
  systemRoute({
    ...own,
    method: 'POST',
    path: '/profile/tokens',
    summary: 'Makes a personal access token. It is shown this once.',
    status: 201,
    body: NewToken,
    answer: Type.Object({ message: Type.String(), token: TokenItem, access_token: Type.String() }),
    run: async (ctx, { body }) => {
      mustBeOwnSession(ctx);
      return { message: 'Copy the token now; it is not shown again.', ...(await makeToken(ctx, body)) };
    },
  }),
  systemRoute({
    ...own,
    method: 'DELETE',
    path: '/profile/tokens/:id',
    summary: 'Revokes a personal access token.',
    params: ById,
    answer: Message,
    run: async (ctx, { params }) => {
      mustBeOwnSession(ctx);
      await revokeToken(ctx, params.id);
      return { message: 'The token was revoked.' };
    },
  }),
  systemRoute({
    ...own,
    method: 'POST',
    path: '/profile/two-factor',
    summary: 'A secret for your authenticator app; two-factor authentication is on once you confirm a code.',
    body: Sure,
    answer: Type.Object({ message: Type.String(), secret: Type.String(), otpauth_uri: Type.String() }),
    run: async (ctx, { body }) => {
      await mustBeSure(ctx, body.password);
      return { message: 'Add the secret to your app and confirm a code.', ...(await beginTwoFactor(ctx)) };
    },
  }),
  systemRoute({
    ...own,
    method: 'POST',
    path: '/profile/two-factor/confirm',
    summary: 'Switches two-factor authentication on. The recovery codes are shown this once.',
    body: Type.Object({ otp: Type.String({ minLength: 1, maxLength: 50 }) }),
    answer: RecoveryCodes,
    run: async (ctx, { body }) => {
      mustBeOwnSession(ctx);
      const limit = { key: `two-factor ${ctx.user.id}`, perMinute: ctx.platform.options.loginFailuresPerMinute };
      const recovery_codes = await limitFailures(ctx, limit, () => confirmTwoFactor(ctx, body.otp));
      return { message: 'Two-factor authentication is on. Keep the recovery codes safe.', recovery_codes };
    },
  }),
  systemRoute({
    ...own,
    method: 'POST',
    path: '/profile/two-factor/recovery-codes',
    summary: 'New recovery codes; the old ones are void.',
    body: Sure,
    answer: RecoveryCodes,
    run: async (ctx, { body }) => {
      await mustBeSure(ctx, body.password);
      return { message: 'Keep the recovery codes safe.', recovery_codes: await newRecoveryCodes(ctx) };
    },
  }),
  systemRoute({
    ...own,
    method: 'DELETE',
    path: '/profile/two-factor',
    summary: 'Switches two-factor authentication off.',
    body: Sure,
    answer: Message,
    run: async (ctx, { body }) => {
      await mustBeSure(ctx, body.password);
      await endTwoFactor(ctx);
      return { message: 'Two-factor authentication is off.' };
    },
  }),
];
