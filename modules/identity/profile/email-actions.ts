import { Email, Message, named, type Static, signedIn, systemAction, Timestamp, Type } from '@chowk/kit';
import { ByToken, Password } from '../schemas.ts';
import { previewVerification, resendVerification, verifyEmail } from './email.ts';
import { changeEmail, checkEmailChange } from './email-change.ts';
import { previewUndo, undoEmailChange } from './email-undo.ts';
import { mustBeOwnSession } from './own-session.ts';
import { VerificationLink } from './verification-link.ts';

const tag = 'Email';
const open = { tag, public: true, tenant: 'none', inputFrom: 'query' } as const;
const own = { tag, needs: signedIn, tenant: 'optional' } as const;

const Verified = Type.Object({
  already_verified: Type.Optional(Type.Literal(true)),
  new_password_needed: Type.Optional(
    Type.Literal(true, {
      description: 'The password no longer works. A link to choose a new one was mailed to the address.',
    }),
  ),
});

function verifiedMessage({ already_verified, new_password_needed }: Static<typeof Verified>): string {
  if (already_verified) return 'Your email address is already verified.';
  if (!new_password_needed) return 'Your email address is verified.';
  return 'Your email address is verified. To sign in, choose a new password with the link that we have mailed to you.';
}

const verification = {
  ...open,
  readOnly: false,
  input: VerificationLink,
  output: Verified,
  answer: { message: verifiedMessage },
  errors: ['tenancy.unknown'],
  run: verifyEmail,
} as const;

export const emailActions = {
  'email.verify': systemAction({
    ...verification,
    summary: 'Verify an email address',
    description:
      'With the parameters of the mailed link. The first verification of an account without a session of it ends all its ' +
      'sessions, tokens and API clients, turns two-factor authentication off and invalidates the password: somebody else may ' +
      'have signed up with the address. A link to choose a new password is mailed to it (`new_password_needed`).',
    http: 'POST /email/verify/:id/:hash',
  }),
  'email.verifyByLink': systemAction({
    ...verification,
    summary: 'Verify an email address by opening a link',
    http: 'GET /email/verify/:id/:hash',
  }),
  'email.previewVerification': systemAction({
    ...open,
    summary: 'Get the address that a link verifies',
    http: 'GET /email/verify/:id/:hash/preview',
    input: VerificationLink,
    output: Type.Object({
      email: Type.String(),
      name: Type.String(),
      already_verified: Type.Boolean(),
      ends_access: Type.Boolean({
        description: 'Verifying it without signing in first ends what was set up before, the password included.',
      }),
    }),
    errors: ['tenancy.unknown'],
    run: previewVerification,
  }),
  'email.resendVerification': systemAction({
    ...own,
    summary: 'Send the verification link again',
    http: 'POST /profile/email/resend-verification',
    output: Message,
    run: resendVerification,
  }),
  'email.change': systemAction({
    ...own,
    summary: 'Change your email address',
    description:
      'The new address must be verified. Until then the account signs in with the old one (`sign_in_email`) and receives ' +
      'mails there; sending that address again cancels the change. After the change, an old address that was verified ' +
      'receives a link that undoes it within seven days.',
    http: 'PUT /profile/email',
    input: named('EmailChange', Type.Object({ email: Email, password: Password })),
    output: Type.Object({ email: Type.String(), requires_verification: Type.Boolean() }),
    answer: {
      message: ({ email, requires_verification }) =>
        requires_verification
          ? `Your email address was changed. Follow the link that was sent to ${email} to sign in with it.`
          : `Your email address is ${email} again.`,
    },
    errors: ['identity.session_only', 'auth.too_many_attempts', 'auth.busy'],
    guard: mustBeOwnSession,
    check: checkEmailChange,
    run: changeEmail,
  }),
  'email.previewUndo': systemAction({
    ...open,
    summary: 'Get the address that an undo link restores',
    http: 'GET /email/undo/:token',
    input: ByToken,
    output: Type.Object({ email: Type.String(), expires_at: Timestamp }),
    run: previewUndo,
  }),
  'email.undo': systemAction({
    ...open,
    summary: 'Undo an email address change',
    description:
      'Ends all sessions and tokens, and the access that the account gave to others since the change: invitations and the ' +
      'memberships they led to, roles, permissions and API clients. Signing in is refused until a new password is set with ' +
      'the link that is mailed to the restored address. That mail lists older access to check.',
    http: 'POST /email/undo/:token',
    input: ByToken,
    output: Type.Object({ email: Type.String() }),
    answer: {
      message: ({ email }) => `Your account uses ${email} again. A link to choose a new password was mailed there.`,
    },
    run: undoEmailChange,
  }),
};
