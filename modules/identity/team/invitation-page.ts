import { type Answer, Failure, type FieldErrors, type SystemCtx, systemAction } from '@chowk/kit';
import { html } from '../mail/html.ts';
import { done, field, newPasswordField, orFailurePage, page } from '../mail/page.ts';
import { acceptInvitation, getInvitation, joinedMessage } from './invitation-acceptance.ts';
import { Acceptance, InvitationToken } from './invitation-schemas.ts';

const title = 'Join a team';
/** What is wrong with a form is shown beside its fields. */
const common = { root: true, page: true, tag: 'Pages', public: true, tenant: 'none', unchecked: true } as const;

/** Where the link of an invitation leads. Opening it changes nothing. */
export const invitationPageActions = {
  'pages.invitation': systemAction({
    ...common,
    summary: 'Show the page of an invitation',
    http: 'GET /invitations/:invitation',
    input: InvitationToken,
    run: (ctx, { invitation }) => orFailurePage(title, () => invitationPage(ctx, { invitation })),
  }),
  'pages.acceptInvitation': systemAction({
    ...common,
    summary: 'Accept an invitation and show the result',
    http: 'POST /invitations/:invitation',
    accepts: 'form',
    input: Acceptance,
    run: (ctx, form) => orFailurePage(title, () => accept(ctx, onlyText(form))),
  }),
};

/** A field that was sent twice, or not as text, counts as left out. */
function onlyText(form: Acceptance): Acceptance {
  return Object.fromEntries(Object.entries(form).filter(([, value]) => typeof value === 'string')) as Acceptance;
}

async function accept(ctx: SystemCtx, form: Acceptance): Promise<Answer> {
  try {
    const accepted = await acceptInvitation(ctx, form);
    return done(title, `${joinedMessage(accepted)} You can sign in as ${accepted.user.email}.`);
  } catch (error) {
    const { errors } = error instanceof Failure ? error.extras : {};
    if (!errors || errors.token) throw error;
    return invitationPage(ctx, form, errors);
  }
}

async function invitationPage(ctx: SystemCtx, form: Acceptance, errors?: Readonly<FieldErrors>): Promise<Answer> {
  const { email, role, tenant, invited_by, account_exists } = await getInvitation(ctx, form);
  const value = form.name ?? '';
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
