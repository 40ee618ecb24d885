import {
  type Answer,
  Failure,
  type FieldErrors,
  formField,
  html,
  htmlPage,
  newPasswordField,
  pageOrFailure,
  type SystemCtx,
  successPage,
  systemAction,
} from '@chowk/kit';
import { acceptInvitation, getInvitation, joinedMessage } from './invitation-acceptance.ts';
import { Acceptance, InvitationToken } from './invitation-schemas.ts';

const title = 'Join a team';
/** `unchecked`: errors are shown beside the fields. */
const common = { root: true, page: true, tag: 'Pages', public: true, tenant: 'none', unchecked: true } as const;

/** The page of an invitation link. Opening it changes nothing. */
export const invitationPageActions = {
  'pages.invitation': systemAction({
    ...common,
    summary: 'Show the page of an invitation',
    http: 'GET /invitations/:invitation',
    input: InvitationToken,
    run: (ctx, { invitation }) => pageOrFailure(title, () => invitationPage(ctx, { invitation })),
  }),
  'pages.acceptInvitation': systemAction({
    ...common,
    summary: 'Accept an invitation and show the result',
    http: 'POST /invitations/:invitation',
    accepts: 'form',
    input: Acceptance,
    run: (ctx, form) => pageOrFailure(title, () => accept(ctx, onlyText(form))),
  }),
};

/** Fields that are repeated or not text are ignored. */
function onlyText(form: Acceptance): Acceptance {
  return Object.fromEntries(Object.entries(form).filter(([, value]) => typeof value === 'string')) as Acceptance;
}

async function accept(ctx: SystemCtx, form: Acceptance): Promise<Answer> {
  try {
    const accepted = await acceptInvitation(ctx, form);
    return successPage(title, `${joinedMessage(accepted)} You can sign in as ${accepted.user.email}.`);
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
    ? html`<p>An account with this address exists.</p>
${formField({ name: 'password', label: 'Password of the account', type: 'password', autocomplete: 'current-password' }, errors)}`
    : html`${formField({ name: 'name', label: 'Your name', type: 'text', autocomplete: 'name', value }, errors)}
${newPasswordField('password', 'Choose a password', errors)}
${newPasswordField('password_confirmation', 'Repeat the password', errors)}`;
  const body = html`<p><strong>${invited_by}</strong> invites <strong>${email}</strong> to join
<strong>${tenant.name}</strong> as ${role}.</p>
<form method="post">${fields}<button>Join ${tenant.name}</button></form>`;
  return htmlPage({ title, body, status: errors ? 422 : 200 });
}
