import {
  type Answer,
  Failure,
  type FieldErrors,
  invalid,
  type Route,
  type SystemCtx,
  systemRoute,
  Type,
} from '@chowk/kit';
import { previewVerification, verifyEmail } from '../profile/email.ts';
import { previewUndo, undoEmailChange } from '../profile/email-undo.ts';
import { checkResetToken, resetPassword } from '../profile/password-reset.ts';
import { ChosenPassword } from '../profile/password-routes.ts';
import { type VerificationLink, VerificationParams, VerificationQuery } from '../profile/verification-link.ts';
import { type Html, html } from './html.ts';
import { done, newPasswordField, orFailurePage, page } from './page.ts';

const tag = 'Pages';
const common = { root: true, page: true, tag, public: true, tenant: 'none' } as const;
const ByToken = Type.Object({ token: Type.String() });
/** Whatever a form may send; the page says itself what is wrong with it. */
const PasswordForm = Type.Object({
  password: Type.Optional(Type.Unknown()),
  password_confirmation: Type.Optional(Type.Unknown()),
});

const titles = {
  verify: 'Verify your email address',
  undo: 'Undo the change of your email address',
  password: 'Choose a password',
};

/** Where mailed links lead while no console answers there. Opening one changes nothing; its button does. */
export const pageRoutes: Route[] = [
  systemRoute({
    ...common,
    method: 'GET',
    path: '/email/verify/:id/:hash',
    summary: 'The page of a verification link; changes nothing.',
    params: VerificationParams,
    query: VerificationQuery,
    run: (ctx, { params, query }) => orFailurePage(titles.verify, () => verificationPage(ctx, { ...params, ...query })),
  }),
  systemRoute({
    ...common,
    method: 'POST',
    path: '/email/verify/:id/:hash',
    summary: 'Verifies an email address and shows the result as a page.',
    accepts: 'form',
    params: VerificationParams,
    query: VerificationQuery,
    run: (ctx, { params, query }) =>
      orFailurePage(titles.verify, async () => {
        await verifyEmail(ctx, { ...params, ...query });
        return done(titles.verify, 'Your email address is verified. You can close this page.');
      }),
  }),
  systemRoute({
    ...common,
    method: 'GET',
    path: '/email/undo/:token',
    summary: 'The page of a link that undoes a change of the email address; changes nothing.',
    params: ByToken,
    run: (ctx, { params }) => orFailurePage(titles.undo, () => undoPage(ctx, params.token)),
  }),
  systemRoute({
    ...common,
    method: 'POST',
    path: '/email/undo/:token',
    summary: 'Undoes a change of the email address and shows the result as a page.',
    accepts: 'form',
    params: ByToken,
    run: (ctx, { params }) =>
      orFailurePage(titles.undo, async () => {
        const { email } = await undoEmailChange(ctx, params.token);
        return done(
          titles.undo,
          `Your account uses ${email} again, and everyone was signed out. A link to choose a new password is on its way to ${email}.`,
        );
      }),
  }),
  systemRoute({
    ...common,
    method: 'GET',
    path: '/password/reset/:token',
    summary: 'The page of a link to choose a password; changes nothing.',
    params: ByToken,
    run: (ctx, { params }) =>
      orFailurePage(titles.password, async () => {
        await checkResetToken(ctx, params);
        return passwordPage();
      }),
  }),
  systemRoute({
    ...common,
    method: 'POST',
    path: '/password/reset/:token',
    summary: 'Sets a password and shows the result as a page.',
    accepts: 'form',
    params: ByToken,
    body: PasswordForm,
    run: (ctx, { params, body }) => orFailurePage(titles.password, () => choosePassword(ctx, params.token, body)),
  }),
];

async function verificationPage(ctx: SystemCtx, link: VerificationLink): Promise<Answer> {
  const { email, verified } = await previewVerification(ctx, link);
  if (verified) return done(titles.verify, `The address ${email} is verified already. You can close this page.`);
  const question = html`<p>Is <strong>${email}</strong> your address?</p>`;
  return page({ title: titles.verify, body: html`${question}${buttonForm('Yes, verify it')}` });
}

async function undoPage(ctx: SystemCtx, token: string): Promise<Answer> {
  const { email } = await previewUndo(ctx, token);
  const consequences = html`<p>Your account will use <strong>${email}</strong> again. Everyone who is signed in to it is
signed out, its password is again what it was before, and a link to choose a new one is mailed to ${email}.</p>`;
  return page({ title: titles.undo, body: html`${consequences}${buttonForm('Undo the change')}` });
}

async function choosePassword(ctx: SystemCtx, token: string, form: unknown): Promise<Answer> {
  await checkResetToken(ctx, { token });
  const wrong = ctx.check(ChosenPassword, form);
  try {
    if (wrong) throw invalid(wrong);
    await resetPassword(ctx, { token, ...(form as { password: string; password_confirmation: string }) });
  } catch (error) {
    const { errors = {} } = error instanceof Failure ? error.extras : {};
    if (!errors.password && !errors.password_confirmation) throw error;
    return passwordPage(errors);
  }
  return done(titles.password, 'Your password was set, and everyone was signed out. You can sign in with it now.');
}

function passwordPage(errors?: Readonly<FieldErrors>): Answer {
  const body = html`<form method="post">
${newPasswordField('password', 'New password', errors)}
${newPasswordField('password_confirmation', 'The same once more', errors)}
<p class="quiet">At least 8 characters.</p>
<button>Set the password</button>
</form>`;
  return page({ title: titles.password, body, status: errors ? 422 : 200 });
}

/** Posts to the address it stands at, so the link goes along as it is. */
function buttonForm(label: string): Html {
  return html`<form method="post"><button>${label}</button></form>`;
}
