import { randomInt } from 'node:crypto';
import {
  assignments,
  byText,
  byTime,
  type Ctx,
  changesBetween,
  equals,
  filter,
  type Issues,
  invalid,
  Line,
  list,
  type Sql,
  type SystemCtx,
  sql,
  taken,
  violatedIndex,
} from '@chowk/kit';
import { fail } from './errors.ts';
import { type NewReferralCode, ReferralCode, type ReferralCodeChanges, TenantRole } from './schemas.ts';

type Key = { readonly id: string };

const columns = sql`c.id, c.code, c.parent_tenant_id, c.tenant_role, c.kyc_required, c.auto_approve, c.expires_at, c.max_uses,
  c.uses, c.created_at, c.updated_at`;

/** A reseller sees what belongs to its own tenant, the owner of the platform everything. */
export function isVisible(ctx: Pick<Ctx, 'tenant'>, alias: Sql): Sql {
  return ctx.tenant.role === 'platform_owner' ? sql`true` : sql`${alias}.parent_tenant_id = ${ctx.tenant.id}`;
}

/** Without letters and digits that look alike. */
const alphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

function randomCode(): string {
  return Array.from({ length: 10 }, () => alphabet[randomInt(alphabet.length)]).join('');
}

export const referralCodeList = list({
  name: 'referral_codes',
  row: ReferralCode,
  database: (ctx: SystemCtx) => ctx.central,
  from: (ctx) => sql`(SELECT * FROM referral_codes c WHERE ${isVisible(ctx, sql`c`)}) c`,
  alias: sql`c`,
  columns,
  filters: {
    tenant_role: equals(TenantRole, sql`c.tenant_role`),
    search: filter(
      Line(64, { description: 'A part of the code.' }),
      (text) => sql`strpos(lower(c.code), lower(${text})) > 0`,
    ),
  },
  sorts: { created_at: byTime(sql`c.created_at`), code: byText(sql`lower(c.code)`) },
});

export async function checkReferralCode(
  ctx: SystemCtx,
  { code, parent_tenant_id: parentId = ctx.tenant.id }: Partial<NewReferralCode>,
  issues: Issues,
): Promise<void> {
  if (!(await isAllowedParent(ctx, parentId))) {
    issues.add('parent_tenant_id', `There is no reseller ${parentId} that you can make codes for.`);
  }
  // Only if there are other problems to report; otherwise the insertion checks it.
  if (!issues.any || code === undefined) return;
  const other = await ctx.central.row(sql`SELECT FROM referral_codes WHERE lower(code) = lower(${code})`);
  if (other) issues.addAll({ code: [codeTaken(ctx, code)] });
}

export async function createReferralCode(ctx: SystemCtx, input: NewReferralCode): Promise<ReferralCode> {
  const { code = randomCode(), parent_tenant_id = ctx.tenant.id, ...fields } = input;
  const now = ctx.now();
  const { tenant_role, kyc_required, auto_approve, expires_at, max_uses } = fields;
  try {
    const row = await ctx.central.row<ReferralCode>(sql`
      INSERT INTO referral_codes AS c (id, code, parent_tenant_id, tenant_role, kyc_required, auto_approve, expires_at,
        max_uses, created_by, created_at, updated_at)
      VALUES (${ctx.newId()}, ${code}, ${parent_tenant_id}, ${tenant_role}, ${kyc_required}, ${auto_approve}, ${expires_at},
        ${max_uses}, ${ctx.user.id}, ${now}, ${now}) RETURNING ${columns}`);
    return row as ReferralCode;
  } catch (error) {
    if (violatedIndex(error) === 'referral_codes_by_code') throw invalid({ code: codeTaken(ctx, code) });
    throw error;
  }
}

export async function getReferralCode(ctx: SystemCtx, { id }: Key, lock = sql``): Promise<ReferralCode> {
  const row = await ctx.central.row<ReferralCode>(sql`
    SELECT ${columns} FROM referral_codes c WHERE id = ${id} AND ${isVisible(ctx, sql`c`)} ${lock}`);
  if (!row) throw fail('onboarding.referral_code_not_found');
  return row;
}

export async function updateReferralCode(
  ctx: SystemCtx,
  { id, ...changes }: ReferralCodeChanges,
): Promise<ReferralCode> {
  const current = await getReferralCode(ctx, { id });
  const row = await ctx.central.row<ReferralCode>(sql`
    UPDATE referral_codes AS c SET ${assignments({ ...changes, updated_at: ctx.now() })}
    WHERE id = ${id} RETURNING ${columns}`);
  if (!row) throw fail('onboarding.referral_code_not_found');
  ctx.audit(changesBetween(current, row));
  return row;
}

export async function deleteReferralCode(ctx: SystemCtx, { id }: Key): Promise<void> {
  await getReferralCode(ctx, { id });
  const removed = await ctx.central.run(sql`
    DELETE FROM referral_codes c WHERE id = ${id}
      AND NOT EXISTS (SELECT FROM reseller_applications WHERE referral_code_id = c.id)`);
  if (removed === 0) throw fail('onboarding.referral_code_used');
}

/** Only the owner of the platform makes codes for other tenants. */
async function isAllowedParent(ctx: SystemCtx, id: string): Promise<boolean> {
  if (id === ctx.tenant.id) return true;
  if (ctx.tenant.role !== 'platform_owner') return false;
  const parent = await ctx.central.row(sql`
    SELECT FROM tenants WHERE id = ${id} AND status = 'active' AND role IN ('reseller', 'platform_owner')`);
  return parent !== undefined;
}

/** Limited, because it tells a reseller which codes others have. */
function codeTaken({ system: { limits, options }, tenant }: SystemCtx, code: string) {
  limits.take(`taken codes ${tenant.id}`, options.applicationsPerMinute);
  return taken(`The code ${code} is taken.`);
}
