import { Email, extend, named, signedIn, systemAction, Type } from '@chowk/kit';
import { ByToken, Password } from '../schemas.ts';
import { ChosenPassword } from './new-password.ts';
import { mustBeOwnSession } from './own-session.ts';
import { changePassword, checkPasswordChange } from './password.ts';
import { checkPasswordReset, previewPasswordReset, requestPasswordReset, resetPassword } from './password-reset.ts';

const open = { tag: 'Passwords', public: true, tenant: 'none' } as const;

export const passwordActions = {
  'password.change': systemAction({
    summary: 'Change your password',
    description: 'Ends all other sessions of the account.',
    tag: 'Passwords',
    http: 'PUT /profile/password',
    needs: signedIn,
    tenant: 'optional',
    input: named('PasswordChange', extend(ChosenPassword, { current_password: Password })),
    answer: { message: 'Password changed. All other sessions have ended.' },
    errors: ['identity.session_only', 'auth.too_many_attempts', 'auth.busy'],
    guard: mustBeOwnSession,
    check: checkPasswordChange,
    run: changePassword,
  }),
  'password.forgot': systemAction({
    ...open,
    summary: 'Request a link to choose a new password',
    description: 'The response is the same whether or not the address has an account.',
    http: 'POST /auth/password/forgot',
    input: Type.Object({ email: Email }),
    answer: { message: 'If there is an account with this address, a link to choose a new password was mailed.' },
    run: requestPasswordReset,
  }),
  'password.previewReset': systemAction({
    ...open,
    summary: 'Get the account of a link to set a password',
    http: 'GET /auth/password/reset/:token',
    input: ByToken,
    output: Type.Object({ email: Type.String() }),
    run: previewPasswordReset,
  }),
  'password.reset': systemAction({
    ...open,
    summary: 'Set a password with a mailed link',
    description: 'Ends all sessions of the account.',
    http: 'POST /auth/password/reset',
    input: named('PasswordReset', extend(ByToken, { ...ChosenPassword.properties, email: Type.Optional(Email) })),
    answer: { message: 'Password set. Sign in with it.' },
    errors: ['auth.busy'],
    check: checkPasswordReset,
    run: resetPassword,
  }),
};
