import { Message, type Route, signedIn, systemRoute, Timestamp, Type } from '@chowk/kit';
import { Email, Password } from '../schemas.ts';
import { resendVerification, verifyEmail } from './email.ts';
import { changeEmail } from './email-change.ts';
import { previewUndo, undoEmailChange } from './email-undo.ts';
import { VerificationParams, VerificationQuery } from './verification-link.ts';

const tag = 'Email';

const VerificationAnswer = Type.Object({ message: Type.String(), already_verified: Type.Optional(Type.Literal(true)) });
const ByToken = Type.Object({ token: Type.String({ maxLength: 200 }) });

/** The same for both methods: GET is what the specification names, POST is what the page does when its button is pressed. */
const verify = (method: 'GET' | 'POST') =>
  systemRoute({
    method,
    path: '/email/verify/:id/:hash',
    tag,
    summary: 'Verifies an email address by the mailed link.',
    public: true,
    tenant: 'none',
    params: VerificationParams,
    query: VerificationQuery,
    answer: VerificationAnswer,
    run: async (ctx, { params, query }) => {
      const { already } = await verifyEmail(ctx, { ...params, ...query });
      if (already) return { message: 'Your email address was verified before.', already_verified: true as const };
      return { message: 'Your email address is verified.' };
    },
  });

export const emailRoutes: Route[] = [
  verify('GET'),
  verify('POST'),
  systemRoute({
    method: 'POST',
    path: '/profile/email/resend-verification',
    tag,
    summary: 'Mails the verification link again.',
    needs: signedIn,
    tenant: 'optional',
    answer: Message,
    run: async (ctx) => {
      const { sent } = await resendVerification(ctx);
      return { message: sent ? 'A new verification link is on its way.' : 'Your email address is verified already.' };
    },
  }),
  systemRoute({
    method: 'PUT',
    path: '/profile/email',
    tag,
    summary: 'Changes the email address; the old one can undo it for seven days.',
    needs: signedIn,
    tenant: 'optional',
    body: Type.Object({ email: Email, password: Password }),
    answer: Type.Object({ message: Type.String(), email: Type.String(), requires_verification: Type.Literal(true) }),
    run: async (ctx, { body }) => {
      const email = await changeEmail(ctx, body);
      const message = `Your email address was changed. Follow the link that was sent to ${email}.`;
      return { message, email, requires_verification: true as const };
    },
  }),
  systemRoute({
    method: 'GET',
    path: '/email/undo/:token',
    tag,
    summary: 'The address that the link would put back; changes nothing.',
    public: true,
    tenant: 'none',
    params: ByToken,
    answer: Type.Object({ email: Type.String(), expires_at: Timestamp }),
    run: (ctx, { params }) => previewUndo(ctx, params.token),
  }),
  systemRoute({
    method: 'POST',
    path: '/email/undo/:token',
    tag,
    summary: 'Undoes a change of the email address: signs everyone out and mails a link to choose a new password.',
    public: true,
    tenant: 'none',
    params: ByToken,
    answer: Type.Object({ message: Type.String(), email: Type.String() }),
    run: async (ctx, { params }) => {
      const { email } = await undoEmailChange(ctx, params.token);
      const message = `Your account uses ${email} again. A link to choose a new password is on its way there.`;
      return { message, email };
    },
  }),
];
