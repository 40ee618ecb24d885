import { ById, extend, named, signedIn, systemAction, Type } from '@chowk/kit';
import { ownActivity } from '../activity/activity-log.ts';
import { NewPersonalToken, PersonalToken, Profile, ProfileChanges, Session } from '../schemas.ts';
import { Confirmation, checkConfirmation, confirmationErrors, mustBeLogin, mustBeOwnSession } from './own-session.ts';
import { checkToken, createToken, listTokens, revokeToken } from './personal-tokens.ts';
import { getProfile, updateProfile } from './profile.ts';
import { endOtherSessions, endSession, listSessions } from './sessions.ts';
import { beginTwoFactor, confirmTwoFactor, disableTwoFactor, renewRecoveryCodes } from './two-factor.ts';

const own = { tag: 'Profile', needs: signedIn, tenant: 'optional' } as const;
const sessionOnly = 'identity.session_only';
const byPerson = { ...own, guard: mustBeOwnSession, errors: [sessionOnly] };

const RecoveryCodes = named(
  'RecoveryCodes',
  Type.Object({ recovery_codes: Type.Array(Type.String({ examples: ['k7m2p-x9q4d'] })) }),
);

export const profileActions = {
  'profile.get': systemAction({
    ...own,
    summary: 'Get your profile',
    http: 'GET /profile',
    graphql: 'profile',
    output: Profile,
    answer: { key: 'profile' },
    run: getProfile,
  }),
  'profile.update': systemAction({
    ...byPerson,
    summary: 'Update your profile',
    description: 'Fields that are not sent do not change. Email and password have their own paths.',
    http: 'PATCH /profile',
    graphql: 'updateProfile',
    input: ProfileChanges,
    output: Profile,
    answer: { key: 'profile', message: 'Profile saved.' },
    run: updateProfile,
  }),
  'profile.sessions': systemAction({
    ...byPerson,
    summary: 'List your sessions',
    description: 'Your sessions, most recently used first.',
    http: 'GET /profile/sessions',
    output: Type.Array(Session),
    answer: { key: 'sessions' },
    run: listSessions,
  }),
  'profile.endOtherSessions': systemAction({
    ...byPerson,
    summary: 'Sign out everywhere else',
    description: 'Ends all sessions except this one. Personal access tokens stay valid.',
    http: 'DELETE /profile/sessions',
    output: Type.Object({ count: Type.Integer({ description: 'The number of sessions that ended.' }) }),
    answer: { message: 'You are signed out everywhere else.' },
    run: endOtherSessions,
  }),
  'profile.endSession': systemAction({
    ...byPerson,
    summary: 'End a session',
    http: 'DELETE /profile/sessions/:id',
    input: ById,
    answer: { message: 'Session ended.' },
    errors: [sessionOnly, 'identity.session_not_found'],
    run: endSession,
  }),
  'profile.activity': systemAction({
    ...byPerson,
    summary: 'List the activity of your account',
    description: 'Sign-ins and changes that you made to your account, newest first.',
    http: 'GET /profile/activity',
    ...ownActivity.paged,
  }),
  'profile.tokens': systemAction({
    ...byPerson,
    summary: 'List your personal access tokens',
    http: 'GET /profile/tokens',
    output: Type.Array(PersonalToken),
    answer: { key: 'tokens' },
    run: listTokens,
  }),
  'profile.createToken': systemAction({
    ...own,
    summary: 'Create a personal access token',
    description:
      'The token is shown only once. It never has more rights than its user, and it covers the tenants that the user is a ' +
      'member of when it is created. Needs a session in which the user has signed in.',
    http: 'POST /profile/tokens',
    input: extend(NewPersonalToken, Confirmation.properties),
    output: Type.Object({ token: PersonalToken, access_token: Type.String() }),
    answer: { message: 'Copy the token now. It is not shown again.', status: 201 },
    errors: [sessionOnly, 'identity.too_many_tokens', ...confirmationErrors],
    guard: mustBeLogin,
    check: checkToken,
    run: createToken,
  }),
  'profile.revokeToken': systemAction({
    ...byPerson,
    summary: 'Revoke a personal access token',
    http: 'DELETE /profile/tokens/:id',
    input: ById,
    answer: { message: 'Token revoked.' },
    errors: [sessionOnly, 'identity.token_not_found'],
    run: revokeToken,
  }),
  'twoFactor.begin': systemAction({
    ...byPerson,
    summary: 'Request a secret for two-factor authentication',
    description: 'Add it to your authenticator app. Two-factor authentication is on after you confirm a code.',
    http: 'POST /profile/two-factor',
    input: Confirmation,
    output: Type.Object({ secret: Type.String(), otpauth_uri: Type.String() }),
    answer: { message: 'Add the secret to your app and confirm a code.' },
    errors: [sessionOnly, 'identity.two_factor_on', ...confirmationErrors],
    check: checkConfirmation,
    run: beginTwoFactor,
  }),
  'twoFactor.confirm': systemAction({
    ...byPerson,
    summary: 'Turn two-factor authentication on',
    description: 'The recovery codes are shown only once.',
    http: 'POST /profile/two-factor/confirm',
    input: Type.Object({ otp: Type.String({ minLength: 1, maxLength: 50 }) }),
    output: RecoveryCodes,
    answer: { message: 'Two-factor authentication is on. Keep the recovery codes safe.' },
    errors: [sessionOnly, 'identity.two_factor_on', 'identity.two_factor_not_begun'],
    run: confirmTwoFactor,
  }),
  'twoFactor.renewRecoveryCodes': systemAction({
    ...byPerson,
    summary: 'Replace your recovery codes',
    description: 'The old codes become invalid. The new ones are shown only once.',
    http: 'POST /profile/two-factor/recovery-codes',
    input: Confirmation,
    output: RecoveryCodes,
    answer: { message: 'Keep the recovery codes safe.' },
    errors: [sessionOnly, 'identity.two_factor_off', ...confirmationErrors],
    check: checkConfirmation,
    run: renewRecoveryCodes,
  }),
  'twoFactor.disable': systemAction({
    ...byPerson,
    summary: 'Turn two-factor authentication off',
    http: 'DELETE /profile/two-factor',
    inputFrom: 'body',
    input: Confirmation,
    answer: { message: 'Two-factor authentication is off.' },
    errors: [sessionOnly, ...confirmationErrors],
    check: checkConfirmation,
    run: disableTwoFactor,
  }),
};
