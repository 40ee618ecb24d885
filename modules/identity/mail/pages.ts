import {
  type Answer,
  extend,
  Failure,
  type FieldErrors,
  type Html,
  html,
  htmlPage,
  invalid,
  newPasswordField,
  pageOrFailure,
  type SystemCtx,
  successPage,
  systemAction,
  Type,
} from '@chowk/kit';
import { previewVerification, verifyEmail } from '../profile/email.ts';
import { previewUndo, undoEmailChange } from '../profile/email-undo.ts';
import { ChosenPassword } from '../profile/new-password.ts';
import { checkResetLink, resetPassword } from '../profile/password-reset.ts';
import { VerificationLink } from '../profile/verification-link.ts';

const open = { root: true, page: true, tag: 'Pages', public: true, tenant: 'none' } as const;
const submit = { ...open, accepts: 'form', inputFrom: 'query' } as const;
const Link = Type.Object({ token: Type.String() });
type Link = { readonly token: string };

const titles = {
  verify: 'Verify your email address',
  undo: 'Undo the change of your email address',
  password: 'Choose a password',
};

/** The pages of mailed links. Opening a link changes nothing; the button on its page does. */
export const pageActions = {
  'pages.verification': systemAction({
    ...open,
    summary: 'Show the page of a verification link',
    http: 'GET /email/verify/:id/:hash',
    input: VerificationLink,
    run: inPage(titles.verify, showVerification),
  }),
  'pages.verifyEmail': systemAction({
    ...submit,
    summary: 'Verify an email address and show the result',
    http: 'POST /email/verify/:id/:hash',
    input: VerificationLink,
    run: inPage(titles.verify, verify),
  }),
  'pages.emailUndo': systemAction({
    ...open,
    summary: 'Show the page of a link that undoes a change of the email address',
    http: 'GET /email/undo/:token',
    input: Link,
    run: inPage(titles.undo, showUndo),
  }),
  'pages.undoEmailChange': systemAction({
    ...submit,
    summary: 'Undo a change of the email address and show the result',
    http: 'POST /email/undo/:token',
    input: Link,
    run: inPage(titles.undo, undo),
  }),
  'pages.passwordReset': systemAction({
    ...open,
    summary: 'Show the page of a link to choose a password',
    http: 'GET /password/reset/:token',
    input: Link,
    run: inPage(titles.password, showPasswordForm),
  }),
  'pages.resetPassword': systemAction({
    ...open,
    summary: 'Set a password and show the result',
    http: 'POST /password/reset/:token',
    accepts: 'form',
    // Errors are shown beside the fields.
    unchecked: true,
    input: extend(Link, ChosenPassword.properties),
    run: inPage(titles.password, choosePassword),
  }),
};

function inPage<Input>(title: string, show: (ctx: SystemCtx, input: Input) => Promise<Answer>) {
  return (ctx: SystemCtx, input: Input) => pageOrFailure(title, () => show(ctx, input));
}

async function showVerification(ctx: SystemCtx, link: VerificationLink): Promise<Answer> {
  const { address: email, name, verified } = await previewVerification(ctx, link);
  if (verified) return successPage(titles.verify, `The address ${email} is already verified. You can close this page.`);
  const question = html`<p>Is <strong>${email}</strong> your address, and is the account of <strong>${name}</strong> yours?
It will sign in with this address.</p>`;
  return htmlPage({ title: titles.verify, body: html`${question}${buttonForm('Yes, verify it')}` });
}

async function verify(ctx: SystemCtx, link: VerificationLink): Promise<Answer> {
  await verifyEmail(ctx, link);
  return successPage(titles.verify, 'Your email address is verified. You can close this page.');
}

async function showUndo(ctx: SystemCtx, link: Link): Promise<Answer> {
  const { email } = await previewUndo(ctx, link);
  const consequences = html`<p>Your account will use <strong>${email}</strong> again. All sessions end, and a
link to choose a new password is mailed to ${email}. You can sign in again after you have used it.</p>`;
  return htmlPage({ title: titles.undo, body: html`${consequences}${buttonForm('Undo the change')}` });
}

async function undo(ctx: SystemCtx, link: Link): Promise<Answer> {
  const { email } = await undoEmailChange(ctx, link);
  return successPage(
    titles.undo,
    `Your account uses ${email} again, and all sessions have ended. A link to choose a new password was mailed to ${email}.`,
  );
}

async function showPasswordForm(ctx: SystemCtx, link: Link): Promise<Answer> {
  await checkResetLink(ctx, link);
  return passwordForm();
}

async function choosePassword(ctx: SystemCtx, { token, ...form }: Link & ChosenPassword): Promise<Answer> {
  await checkResetLink(ctx, { token });
  const errors = ctx.check(ChosenPassword, form);
  try {
    if (errors) throw invalid(errors);
    await resetPassword(ctx, { token, ...form });
  } catch (error) {
    const { errors = {} } = error instanceof Failure ? error.extras : {};
    if (!errors.password && !errors.password_confirmation) throw error;
    return passwordForm(errors);
  }
  return successPage(
    titles.password,
    'Your password was set, and all sessions have ended. Sign in with the new password.',
  );
}

function passwordForm(errors?: Readonly<FieldErrors>): Answer {
  const body = html`<form method="post">
${newPasswordField('password', 'New password', errors)}
${newPasswordField('password_confirmation', 'Repeat the password', errors)}
<p class="quiet">At least 8 characters.</p>
<button>Set the password</button>
</form>`;
  return htmlPage({ title: titles.password, body, status: errors ? 422 : 200 });
}

/** Posts to the URL of the page, which contains the link's parameters. */
function buttonForm(label: string): Html {
  return html`<form method="post"><button>${label}</button></form>`;
}
