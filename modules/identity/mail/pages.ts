import { type Answer, Failure, type FieldErrors, invalid, type SystemCtx, systemAction, Type } from '@chowk/kit';
import { previewVerification, verifyEmail } from '../profile/email.ts';
import { previewUndo, undoEmailChange } from '../profile/email-undo.ts';
import { checkResetLink, resetPassword } from '../profile/password-reset.ts';
import { ChosenPassword } from '../profile/passwords.ts';
import { VerificationLink } from '../profile/verification-link.ts';
import { type Html, html } from './html.ts';
import { done, newPasswordField, orFailurePage, page } from './page.ts';

const common = { root: true, page: true, tag: 'Pages', public: true, tenant: 'none' } as const;
const button = { ...common, accepts: 'form', inputFrom: 'query' } as const;
const Link = Type.Object({ token: Type.String() });
/** Whatever a form may send; the page says itself what is wrong with it. */
const PasswordForm = Type.Object({
  token: Type.String(),
  password: Type.Optional(Type.Unknown()),
  password_confirmation: Type.Optional(Type.Unknown()),
});

const titles = {
  verify: 'Verify your email address',
  undo: 'Undo the change of your email address',
  password: 'Choose a password',
};

/** Where mailed links lead while no console answers there. Opening one changes nothing; its button does. */
export const pageActions = {
  'pages.verification': systemAction({
    ...common,
    summary: 'Show the page of a verification link',
    http: 'GET /email/verify/:id/:hash',
    input: VerificationLink,
    run: (ctx, link) => orFailurePage(titles.verify, () => verificationPage(ctx, link)),
  }),
  'pages.verifyEmail': systemAction({
    ...button,
    summary: 'Verify an email address and show the result',
    http: 'POST /email/verify/:id/:hash',
    input: VerificationLink,
    run: (ctx, link) =>
      orFailurePage(titles.verify, async () => {
        await verifyEmail(ctx, link);
        return done(titles.verify, 'Your email address is verified. You can close this page.');
      }),
  }),
  'pages.emailUndo': systemAction({
    ...common,
    summary: 'Show the page of a link that undoes a change of the email address',
    http: 'GET /email/undo/:token',
    input: Link,
    run: (ctx, link) => orFailurePage(titles.undo, () => undoPage(ctx, link)),
  }),
  'pages.undoEmailChange': systemAction({
    ...button,
    summary: 'Undo a change of the email address and show the result',
    http: 'POST /email/undo/:token',
    input: Link,
    run: (ctx, link) =>
      orFailurePage(titles.undo, async () => {
        const { email } = await undoEmailChange(ctx, link);
        return done(
          titles.undo,
          `Your account uses ${email} again, and everyone was signed out. A link to choose a new password is on its way to ${email}.`,
        );
      }),
  }),
  'pages.passwordReset': systemAction({
    ...common,
    summary: 'Show the page of a link to choose a password',
    http: 'GET /password/reset/:token',
    input: Link,
    run: (ctx, link) =>
      orFailurePage(titles.password, async () => {
        await checkResetLink(ctx, link);
        return passwordPage();
      }),
  }),
  'pages.resetPassword': systemAction({
    ...common,
    summary: 'Set a password and show the result',
    http: 'POST /password/reset/:token',
    accepts: 'form',
    input: PasswordForm,
    run: (ctx, form) => orFailurePage(titles.password, () => choosePassword(ctx, form)),
  }),
};

async function verificationPage(ctx: SystemCtx, link: VerificationLink): Promise<Answer> {
  const { email, verified } = await previewVerification(ctx, link);
  if (verified) return done(titles.verify, `The address ${email} is verified already. You can close this page.`);
  const question = html`<p>Is <strong>${email}</strong> your address?</p>`;
  return page({ title: titles.verify, body: html`${question}${buttonForm('Yes, verify it')}` });
}

async function undoPage(ctx: SystemCtx, link: { token: string }): Promise<Answer> {
  const { email } = await previewUndo(ctx, link);
  const consequences = html`<p>Your account will use <strong>${email}</strong> again. Everyone who is signed in to it is
signed out, its password is again what it was before, and a link to choose a new one is mailed to ${email}.</p>`;
  return page({ title: titles.undo, body: html`${consequences}${buttonForm('Undo the change')}` });
}

async function choosePassword(ctx: SystemCtx, { token, ...form }: { token: string }): Promise<Answer> {
  await checkResetLink(ctx, { token });
  const wrong = ctx.check(ChosenPassword, form);
  try {
    if (wrong) throw invalid(wrong);
    await resetPassword(ctx, { token, ...(form as ChosenPassword) });
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
