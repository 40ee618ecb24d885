import { type Answer, Failure, type FieldErrors, type Route, type SystemCtx, systemRoute, Type } from '@chowk/kit';
import { html } from '../mail/html.ts';
import { done, field, newPasswordField, orFailurePage, page } from '../mail/page.ts';
import { acceptInvitation, showInvitation } from './invitation-acceptance.ts';

const title = 'Join a team';
const common = {
  root: true,
  page: true,
  tag: 'Pages',
  public: true,
  tenant: 'none',
  path: '/invitations/:token',
} as const;
const params = Type.Object({ token: Type.String() });
/** Whatever a form may send; the page says itself what is wrong with it. */
const Form = Type.Object({
  name: Type.Optional(Type.String()),
  password: Type.Optional(Type.String()),
  password_confirmation: Type.Optional(Type.String()),
});

/** Where an invitation leads while no console answers there. Opening it changes nothing; its button does. */
export const invitationPageRoutes: Route[] = [
  systemRoute({
    ...common,
    method: 'GET',
    summary: 'The page of an invitation; changes nothing.',
    params,
    run: (ctx, { params: { token } }) => orFailurePage(title, () => invitationPage(ctx, token)),
  }),
  systemRoute({
    ...common,
    method: 'POST',
    summary: 'Accepts an invitation and shows the result as a page.',
    accepts: 'form',
    params,
    body: Form,
    run: (ctx, { params: { token }, body }) => orFailurePage(title, () => accept(ctx, token, body)),
  }),
];

async function accept(ctx: SystemCtx, token: string, form: { name?: string; password?: string }): Promise<Answer> {
  try {
    const { body } = await acceptInvitation(ctx, token, form);
    return done(title, `${body.message} You can sign in as ${body.user.email}.`);
  } catch (error) {
    const { errors } = error instanceof Failure ? error.extras : {};
    if (!errors || errors.token) throw error;
    return invitationPage(ctx, token, { errors, name: form.name });
  }
}

async function invitationPage(
  ctx: SystemCtx,
  token: string,
  { errors, name = '' }: { errors?: Readonly<FieldErrors>; name?: string | undefined } = {},
): Promise<Answer> {
  const { email, role, tenant, invited_by, account_exists } = await showInvitation(ctx, token);
  const fields = account_exists
    ? html`<p>There is an account with this address.</p>
${field({ name: 'password', label: 'Its password', type: 'password', autocomplete: 'current-password' }, errors)}`
    : html`${field({ name: 'name', label: 'Your name', type: 'text', autocomplete: 'name', value: name }, errors)}
${newPasswordField('password', 'Choose a password', errors)}
${newPasswordField('password_confirmation', 'The same once more', errors)}`;
  const body = html`<p><strong>${invited_by}</strong> invites <strong>${email}</strong> to join
<strong>${tenant.name}</strong> as ${role}.</p>
<form method="post">${fields}<button>Join ${tenant.name}</button></form>`;
  return page({ title, body, status: errors ? 422 : 200 });
}
