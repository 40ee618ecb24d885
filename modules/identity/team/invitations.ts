import {
  byText,
  byTime,
  type Db,
  type Issues,
  list,
  removedFields,
  type Sql,
  type SystemCtx,
  sql,
  taken,
} from '@chowk/kit';
import { mustHoldRole } from '../accounts/permissions.ts';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import { unlessLink } from '../mail/mails.ts';
import { hashSecret, newSecret } from '../secret-tokens.ts';
import { userReference } from '../user-reference.ts';
import { Invitation, type NewInvitation } from './invitation-schemas.ts';
import { assignableRole, findRole, getRole, noSuchRole } from './roles.ts';

type Key = { readonly invitation: string };

const validDays = 7;

const columns = sql`i.id, i.email, (SELECT r.name FROM roles r WHERE r.id = i.role_id) AS role,
  ${userReference(sql`i.invited_by`)} AS invited_by, i.created_at, i.updated_at, i.expires_at`;

/** An invitation `i` that can still be accepted. */
export function isOpen(ctx: SystemCtx): Sql {
  return sql`i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > ${ctx.now().toISOString()}`;
}

export const invitationList = list({
  name: 'invitations',
  row: Invitation,
  database: (ctx: SystemCtx) => ctx.central,
  from: (ctx) => sql`(SELECT * FROM invitations i WHERE i.tenant_id = ${ctx.tenant.id} AND ${isOpen(ctx)}) i`,
  alias: sql`i`,
  columns,
  sorts: {
    created_at: byTime(sql`i.created_at`),
    expires_at: byTime(sql`i.expires_at`),
    email: byText(sql`i.email`),
  },
});

export async function checkInvitation(
  ctx: SystemCtx,
  { email, role }: Partial<NewInvitation>,
  issues: Issues,
): Promise<void> {
  limitMails(ctx);
  if (email !== undefined && (await isMember(ctx, email))) issues.addAll({ email: [alreadyMember] });
  // Only if there are other problems to report; otherwise locking the role checks it.
  const isRoleMissing = issues.any && role !== undefined && !(await findRole(ctx, ctx.central, role));
  if (isRoleMissing) issues.addAll({ role: [noSuchRole] });
}

/** Replaces an open invitation of the same address, whose link becomes invalid. */
export async function createInvitation(ctx: SystemCtx, { email, role }: NewInvitation): Promise<Invitation> {
  const token = newSecret();
  return ctx.central.tx(async (tx) => {
    const assigned = await assignableRole(ctx, tx, role);
    await lockOpen(ctx, tx, sql`i.email = ${email}`);
    const invitation = await insertInvitation(ctx, tx, { email, roleId: assigned.id, token });
    await record(ctx, { action: 'member_invited', subjectId: null, details: { email, role: assigned.name } }, tx);
    await mailInvitation(ctx, tx, invitation, token);
    return invitation;
  });
}

/** Mails a new link in the caller's name; the old one becomes invalid. */
export async function resendInvitation(ctx: SystemCtx, { invitation: id }: Key): Promise<Invitation> {
  limitMails(ctx);
  const token = newSecret();
  return ctx.central.tx(async (tx) => {
    await lockInvitation(ctx, tx, id);
    const now = ctx.now();
    const invitation = (await tx.row<Invitation>(sql`
      UPDATE invitations i SET token_hash = ${hashSecret(token)}, invited_by = ${ctx.user.id}, by_platform = false,
        expires_at = ${addValidity(now)}, updated_at = ${now.toISOString()}
      WHERE i.id = ${id} RETURNING ${columns}`)) as Invitation;
    await mailInvitation(ctx, tx, invitation, token);
    return invitation;
  });
}

export async function revokeInvitation(ctx: SystemCtx, { invitation: id }: Key): Promise<void> {
  await ctx.central.tx(async (tx) => {
    const { email, role } = await lockInvitation(ctx, tx, id);
    const now = ctx.now().toISOString();
    await tx.run(sql`UPDATE invitations SET revoked_at = ${now}, updated_at = ${now} WHERE id = ${id}`);
    await record(ctx, { action: 'invitation_revoked', subjectId: null, details: { email, role } }, tx);
    ctx.audit(removedFields({ email, role }));
  });
}

/** Limits mails to strangers per tenant. */
function limitMails(ctx: SystemCtx): void {
  const { limits, options } = ctx.system;
  limits.take(`invite ${ctx.tenant.id}`, 10 * options.resendsPerMinute);
}

const alreadyMember = taken('A member with this address already exists.');

async function isMember({ central, tenant }: SystemCtx, email: string): Promise<boolean> {
  const member = await central.row(sql`
    SELECT FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.tenant_id = ${tenant.id} AND u.email = ${email}`);
  return member !== undefined;
}

async function lockInvitation(ctx: SystemCtx, tx: Db, id: string): Promise<Invitation> {
  const invitation = await lockOpen(ctx, tx, sql`i.id = ${id}`);
  if (!invitation) throw fail('identity.invitation_not_found');
  ctx.mustMatch(invitation);
  return invitation;
}

/** The caller must hold the permissions of the role to withdraw or replace the invitation. */
async function lockOpen(ctx: SystemCtx, tx: Db, where: Sql): Promise<Invitation | undefined> {
  const open = await tx.row<Invitation & { role_id: number }>(sql`
    SELECT ${columns}, i.role_id FROM invitations i
    WHERE i.tenant_id = ${ctx.tenant.id} AND ${where} AND ${isOpen(ctx)} FOR UPDATE`);
  if (open) mustHoldRole(ctx, await getRole(ctx, { id: open.role_id }, tx));
  return open;
}

async function insertInvitation(
  ctx: SystemCtx,
  tx: Db,
  { email, roleId, token }: { email: string; roleId: number; token: string },
): Promise<Invitation> {
  const now = ctx.now();
  const invitation = await tx.row<Invitation>(sql`
    INSERT INTO invitations AS i
      (id, tenant_id, email, role_id, token_hash, invited_by, created_at, updated_at, expires_at)
    VALUES (${ctx.newId()}, ${ctx.tenant.id}, ${email}, ${roleId}, ${hashSecret(token)}, ${ctx.user.id},
      ${now.toISOString()}, ${now.toISOString()}, ${addValidity(now)})
    ON CONFLICT (tenant_id, email) WHERE accepted_at IS NULL AND revoked_at IS NULL DO UPDATE SET id = excluded.id,
      role_id = excluded.role_id, token_hash = excluded.token_hash, invited_by = excluded.invited_by, by_platform = false,
      created_at = excluded.created_at, updated_at = excluded.updated_at, expires_at = excluded.expires_at
    RETURNING ${columns}`);
  return invitation as Invitation;
}

function addValidity(now: Date): string {
  return new Date(now.getTime() + validDays * 86_400_000).toISOString();
}

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

async function mailInvitation(
  ctx: SystemCtx,
  tx: Db,
  { email, role, expires_at }: Invitation,
  token: string,
): Promise<void> {
  const organization = unlessLink(ctx.tenant.name) ?? ctx.tenant.id;
  const inviter = unlessLink(ctx.user.name) ?? 'A team member';
  const mail = {
    to: email,
    subject: `You are invited to join ${organization}`,
    organization,
    recipient: '',
    paragraphs: [`${inviter} invites you to join ${organization} as ${role}.`],
    button: { label: 'Accept the invitation', url: `${ctx.system.url}/invitations/${token}` },
    expiry: `The link can be used once and expires on ${dateFormat.format(new Date(expires_at))} UTC.`,
    warning: 'If you did not expect this invitation, ignore this mail.',
  };
  await ctx.system.mail.send(mail, tx);
}
