import {
  type Db,
  invalid,
  offsetOf,
  type Paging,
  paginationOf,
  type Sql,
  type Static,
  type SystemCtx,
  sql,
  Timestamp,
  Type,
  Uuid,
} from '@chowk/kit';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import { named, sendMail } from '../mail/mails.ts';
import { hashOf, newSecret } from '../secret-tokens.ts';
import { mustHoldRole } from './grants.ts';
import { getRole, roleToGive } from './roles.ts';
import type { NewInvitation } from './team-schemas.ts';

export const Invitation = Type.Object({
  id: Uuid,
  email: Type.String(),
  role: Type.String(),
  invited_by: Type.Union([Type.Object({ id: Type.Integer(), name: Type.String() }), Type.Null()]),
  created_at: Timestamp,
  expires_at: Timestamp,
});
export type Invitation = Static<typeof Invitation>;

const days = 7;

const columns = sql`i.id, i.email, r.name AS role, i.created_at, i.expires_at,
  CASE WHEN u.id IS NOT NULL THEN json_build_object('id', u.id, 'name', u.name) END AS invited_by`;
const tables = sql`invitations i JOIN roles r ON r.id = i.role_id LEFT JOIN users u ON u.id = i.invited_by`;

/** An invitation `i` that can still be accepted. */
export function isOpen(ctx: SystemCtx): Sql {
  return sql`i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > ${ctx.now().toISOString()}`;
}

export async function listInvitations(ctx: SystemCtx, paging: Paging) {
  const where = sql`WHERE i.tenant_id = ${ctx.tenant.id} AND ${isOpen(ctx)}`;
  const [invitations, counted] = await Promise.all([
    ctx.central.rows<Invitation>(sql`
      SELECT ${columns} FROM ${tables} ${where} ORDER BY i.created_at DESC, i.id DESC
      LIMIT ${paging.per_page} OFFSET ${offsetOf(paging)}`),
    ctx.central.row<{ total: number }>(sql`SELECT count(*) AS total FROM invitations i ${where}`),
  ]);
  return { invitations, pagination: paginationOf(paging, counted?.total ?? 0) };
}

/** Invites an address; an open invitation to it, and its link, give way to the new one. */
export async function invite(ctx: SystemCtx, { email: given, role }: NewInvitation): Promise<Invitation> {
  limitMails(ctx);
  const email = given.toLowerCase();
  const token = newSecret();
  const invitation = await ctx.central.tx(async (tx) => {
    const wanted = await roleToGive(ctx, tx, role);
    await mustBeNoMember(ctx, tx, email);
    await mustHoldRoleOfOpen(ctx, tx, sql`i.email = ${email} AND ${isOpen(ctx)}`);
    const made = await insertInvitation(ctx, tx, { email, roleId: wanted.id, token });
    await record(ctx, { action: 'member_invited', subjectId: null, details: { email, role: wanted.name } }, tx);
    return made;
  });
  await mailInvitation(ctx, invitation, token);
  return invitation;
}

/** A new link to the same address, in the caller's name. The old one is good for nothing from now on. */
export async function resendInvitation(ctx: SystemCtx, { id }: { id: string }): Promise<Invitation> {
  limitMails(ctx);
  const token = newSecret();
  const invitation = await ctx.central.tx(async (tx) => {
    await lockOpen(ctx, tx, id);
    await tx.run(sql`
      UPDATE invitations SET token_hash = ${hashOf(token)}, invited_by = ${ctx.user.id}, expires_at = ${expiryOf(ctx.now())}
      WHERE id = ${id}`);
    return findInvitation(tx, id);
  });
  await mailInvitation(ctx, invitation, token);
  return invitation;
}

export async function revokeInvitation(ctx: SystemCtx, { id }: { id: string }): Promise<void> {
  await ctx.central.tx(async (tx) => {
    await lockOpen(ctx, tx, id);
    await tx.run(sql`UPDATE invitations SET revoked_at = ${ctx.now().toISOString()} WHERE id = ${id}`);
    const { email, role } = await findInvitation(tx, id);
    await record(ctx, { action: 'invitation_revoked', subjectId: null, details: { email, role } }, tx);
  });
}

/** Mails go to strangers: so many from a tenant, whoever asks for them. */
function limitMails(ctx: SystemCtx): void {
  const { limits, options } = ctx.platform;
  limits.take(`invite ${ctx.tenant.id}`, 10 * options.resendsPerMinute);
}

async function mustBeNoMember(ctx: SystemCtx, db: Db, email: string): Promise<void> {
  const member = await db.row(sql`
    SELECT FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.tenant_id = ${ctx.tenant.id} AND u.email = ${email}`);
  if (member) throw invalid({ email: ['Somebody with this address is a member already.'] });
}

async function lockOpen(ctx: SystemCtx, tx: Db, id: string): Promise<void> {
  const found = await mustHoldRoleOfOpen(ctx, tx, sql`i.id = ${id} AND ${isOpen(ctx)}`);
  if (!found) throw fail('identity.invitation_not_found');
}

/** An invitation to more than the caller may do is not the caller's to withdraw or replace. */
async function mustHoldRoleOfOpen(ctx: SystemCtx, tx: Db, where: Sql): Promise<boolean> {
  const open = await tx.row<{ role_id: number }>(sql`
    SELECT i.role_id FROM invitations i WHERE i.tenant_id = ${ctx.tenant.id} AND ${where} FOR UPDATE`);
  if (open) mustHoldRole(ctx, await getRole(ctx, { id: open.role_id }, tx));
  return open !== undefined;
}

async function insertInvitation(
  ctx: SystemCtx,
  tx: Db,
  { email, roleId, token }: { email: string; roleId: number; token: string },
): Promise<Invitation> {
  const now = ctx.now();
  const made = await tx.row<{ id: string }>(sql`
    INSERT INTO invitations (id, tenant_id, email, role_id, token_hash, invited_by, created_at, expires_at)
    VALUES (${ctx.newId()}, ${ctx.tenant.id}, ${email}, ${roleId}, ${hashOf(token)}, ${ctx.user.id},
      ${now.toISOString()}, ${expiryOf(now)})
    ON CONFLICT (tenant_id, email) WHERE accepted_at IS NULL AND revoked_at IS NULL DO UPDATE SET id = excluded.id,
      role_id = excluded.role_id, token_hash = excluded.token_hash, invited_by = excluded.invited_by,
      created_at = excluded.created_at, expires_at = excluded.expires_at
    RETURNING id`);
  return findInvitation(tx, made?.id as string);
}

async function findInvitation(db: Db, id: string): Promise<Invitation> {
  return (await db.row<Invitation>(sql`SELECT ${columns} FROM ${tables} WHERE i.id = ${id}`)) as Invitation;
}

function expiryOf(now: Date): string {
  return new Date(now.getTime() + days * 86_400_000).toISOString();
}

const inWords = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

async function mailInvitation(ctx: SystemCtx, { email, role, expires_at }: Invitation, token: string): Promise<void> {
  const organization = named(ctx.tenant.name, ctx.tenant.id);
  await sendMail(ctx, {
    to: email,
    subject: `You are invited to join ${organization}`,
    organization,
    greeting: 'Hello,',
    paragraphs: [`${named(ctx.user.name, 'Somebody')} invites you to join ${organization} as ${role}.`],
    button: { label: 'Accept the invitation', url: `${ctx.platform.url}/invitations/${token}` },
    expiry: `The link is good once, until ${inWords.format(new Date(expires_at))} UTC.`,
    warning: 'If you did not expect this invitation, ignore this mail: nothing happens unless you accept.',
  });
}
