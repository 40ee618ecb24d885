import { Message, NewPassword, type Route, signedIn, systemRoute, Type } from '@chowk/kit';
import { Email, Password } from '../schemas.ts';
import { changePassword } from './password.ts';
import { askForPasswordReset, resetPassword } from './password-reset.ts';

const tag = 'Passwords';

const Confirmation = Type.String({ maxLength: 1000 });
/** What a form to choose a password sends. */
export const ChosenPassword = Type.Object({ password: NewPassword, password_confirmation: Confirmation });

export const passwordRoutes: Route[] = [
  systemRoute({
    method: 'PUT',
    path: '/profile/password',
    tag,
    summary: 'Changes the password and signs everyone else out.',
    needs: signedIn,
    tenant: 'optional',
    body: Type.Object({ current_password: Password, ...ChosenPassword.properties }),
    answer: Message,
    run: async (ctx, { body }) => {
      await changePassword(ctx, body);
      return { message: 'Your password was changed. Everyone else who was signed in was signed out.' };
    },
  }),
  systemRoute({
    method: 'POST',
    path: '/auth/password/forgot',
    tag,
    summary: 'Mails a link to choose a new password; the answer is the same whether or not the address is known.',
    public: true,
    tenant: 'none',
    body: Type.Object({ email: Email }),
    answer: Message,
    run: async (ctx, { body }) => {
      await askForPasswordReset(ctx, body);
      return { message: 'If there is an account with this address, a link to choose a new password is on its way.' };
    },
  }),
  systemRoute({
    method: 'POST',
    path: '/auth/password/reset',
    tag,
    summary: 'Sets the password by the mailed link and signs everyone out.',
    public: true,
    tenant: 'none',
    body: Type.Object({
      token: Type.String({ maxLength: 200 }),
      email: Type.Optional(Email),
      ...ChosenPassword.properties,
    }),
    answer: Message,
    run: async (ctx, { body }) => {
      await resetPassword(ctx, body);
      return { message: 'Your password was set. Sign in with it.' };
    },
  }),
];
