import { type Answer, Failure, type FieldErrors, type SystemCtx, systemAction, Type } from '@chowk/kit';
import { html } from '../mail/html.ts';
import { done, field, newPasswordField, orFailurePage, page } from '../mail/page.ts';
import { Acceptance, acceptInvitation, getInvitation, joinedMessage } from './invitation-acceptance.ts';

const title = 'Join a team';
const common = { root: true, page: true, tag: 'Pages', public: true, tenant: 'none', unchecked: true } as const;

/** The fields are checked here, so that what is wrong is shown beside them. */
const Form = Type.Object({
  invitation: Type.String(),
  name: Type.Optional(Type.Unknown()),
  password: Type.Optional(Type.Unknown()),
  password_confirmation: Type.Optional(Type.Unknown()),
});
type Form = { readonly invitation: string; readonly name?: unknown };

/** Where the link of an invitation leads. Opening it changes nothing. */
export const invitationPageActions = {
  'pages.invitation': systemAction({
    ...common,
    summary: 'Show the page of an invitation',
    http: 'GET /invitations/:invitation',
    input: Form,
    run: (ctx, form) => orFailurePage(title, () => invitationPage(ctx, form)),
  }),
  'pages.acceptInvitation': systemAction({
    ...common,
    summary: 'Accept an invitation and show the result',
    http: 'POST /invitations/:invitation',
    accepts: 'form',
    input: Form,
    run: (ctx, form) => orFailurePage(title, () => accept(ctx, form)),
  }),
};

async function accept(ctx: SystemCtx, form: Form): Promise<Answer> {
  try {
    const wrong = ctx.check(Acceptance, form);
    if (wrong) throw invalid(wrong)
    const accepted = await acceptInvitation(ctx, form as Static<typeof Acceptance>);
    return done(title, `${joinedMessage(accepted)} You can sign in as ${accepted.user.email}.`);
  } catch (error) {
    const { errors } = error instanceof Failure ? error.extras : {};
    if (!errors || errors.token) throw error;
    return invitationPage(ctx, form, errors);
  }
}

async function invitationPage(ctx: SystemCtx, form: Form, errors?: Readonly<FieldErrors>): Promise<Answer> {
  const { email, role, tenant, invited_by, account_exists } = await getInvitation(ctx, form);
  const value = typeof form.name === 'string' ? form.name : '';
  const fields = account_exists
    ? html`<p>There is an account with this address.</p>
${field({ name: 'password', label: 'Its password', type: 'password', autocomplete: 'current-password' }, errors)}`
    : html`${field({ name: 'name', label: 'Your name', type: 'text', autocomplete: 'name', value }, errors)}
${newPasswordField('password', 'Choose a password', errors)}
${newPasswordField('password_confirmation', 'The same once more', errors)}`;
  const body = html`<p><strong>${invited_by}</strong> invites <strong>${email}</strong> to join
<strong>${tenant.name}</strong> as ${role}.</p>
<form method="post">${fields}<button>Join ${tenant.name}</button></form>`;
  return page({ title, body, status: errors ? 422 : 200 });
}
