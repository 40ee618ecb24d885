import { randomUUID } from 'node:crypto';
import { type Db, type Failure, type Issues, invalid, type SystemCtx, sql } from '@chowk/kit';
import { type ApplicationRow, documentsFor, findApplication } from './applications.ts';
import { fail } from './errors.ts';
import { mailReceived } from './mails.ts';
import { notifyReviewers } from './notify-team.ts';
import { checkPassword } from './password.ts';
import { provision, startProvisioning } from './provisioning.ts';
import type { NewApplication, ReferralCode, Submitted } from './schemas.ts';
import { uploadToken } from './upload-token.ts';

export async function checkApplication(
  ctx: SystemCtx,
  { referral_code, preferred_domain, password }: Partial<NewApplication>,
  issues: Issues,
): Promise<void> {
  // First, so that codes cannot be guessed.
  limitApplications(ctx);
  if (referral_code !== undefined) await checkCode(ctx, referral_code, issues);
  const problem = preferred_domain == null ? undefined : await ctx.system.domains.labelProblem(preferred_domain);
  if (problem) issues.add('preferred_domain', problem);
  if (password !== undefined) await checkPassword(ctx, password, issues);
}

/** Limits applications and sign-ups from one network, and from one IPv6 /48. */
export function limitApplications({ system: { limits, options }, client: { network, site } }: SystemCtx): void {
  limits.take(`apply from ${network}`, options.applicationsPerMinute);
  if (site !== network) limits.take(`apply from ${site}`, options.applicationsPerMinute * 2);
}

/** Unknown codes have a limit of their own, which refuses codes that exist as well. */
async function checkCode(ctx: SystemCtx, code: string, issues: Issues): Promise<void> {
  const { limits, options } = ctx.system;
  const limit = [`unknown codes from ${ctx.client.site}`, Math.ceil(options.applicationsPerMinute / 2)] as const;
  // `take` throws and counts nothing when the limit is reached.
  if (!limits.has(...limit)) limits.take(...limit);
  if (await findCode(ctx, ctx.central, code)) return;
  limits.take(...limit);
  issues.addAll({ referral_code: [badCode] });
}

/** Stores an application. With a code that needs neither documents nor approval, its tenant exists when this returns. */
export async function apply(ctx: SystemCtx, input: NewApplication): Promise<Submitted> {
  const { password } = input;
  const passwordHash = password && (await ctx.bus.call('identity.hashPassword', { password }));
  const application = await ctx.central.tx((tx) => store(ctx, tx, input, passwordHash ?? null));
  if (application.status === 'provisioning') await provisionNow(ctx, application.id);
  else await notifyReviewers(ctx, { id: application.id, business_name: input.business_name });
  return submitted(ctx, await findApplication(ctx.central, application.id));
}

export function submittedMessage({ status, kyc_required }: Submitted): string {
  if (status === 'completed') return 'Your application was approved. Your organization is ready.';
  if (status === 'provisioning') return 'Your application was approved. Your organization is being set up.';
  return kyc_required
    ? 'Your application was received. Upload the required documents next.'
    : 'Your application was received. You get a mail when it is reviewed.';
}

const badCode = { code: 'invalid', message: 'This referral code is unknown, expired or used up.' } as const;

function findCode(ctx: SystemCtx, db: Db, code: string, lock = sql``) {
  return db.row<ReferralCode>(sql`
    SELECT c.* FROM referral_codes c JOIN tenants t ON t.id = c.parent_tenant_id AND t.status = 'active'
    WHERE lower(c.code) = lower(${code}) AND (c.expires_at IS NULL OR c.expires_at > ${ctx.now()})
      AND (c.max_uses IS NULL OR c.uses < c.max_uses) ${lock}`);
}

/** The lock on the code orders concurrent applications, so that `max_uses` holds. */
async function store(
  ctx: SystemCtx,
  tx: Db,
  input: NewApplication,
  passwordHash: string | null,
): Promise<{ id: string; status: string }> {
  const code = await findCode(ctx, tx, input.referral_code, sql`FOR UPDATE OF c`);
  if (!code) throw invalid({ referral_code: badCode });
  const { parent_tenant_id, tenant_role, kyc_required, auto_approve } = code;
  const isApproved = auto_approve && !kyc_required;
  const id = randomUUID();
  const now = ctx.now();
  const { business_name, contact_name, email, phone = null, preferred_domain } = input;
  const inserted = await tx.run(sql`
    INSERT INTO reseller_applications (id, referral_code_id, parent_tenant_id, tenant_role, kyc_required, auto_approve,
      business_name, contact_name, email, phone, preferred_domain, password_hash, status, kyc_status, created_at, updated_at)
    VALUES (${id}, ${code.id}, ${parent_tenant_id}, ${tenant_role}, ${kyc_required}, ${auto_approve}, ${business_name},
      ${contact_name}, ${email}, ${phone}, ${preferred_domain?.toLowerCase() ?? null}, ${passwordHash}, 'pending',
      ${kyc_required ? 'pending' : 'not_required'}, ${now}, ${now})
    ON CONFLICT (email) WHERE status <> 'rejected' DO NOTHING`);
  if (inserted === 0) throw await duplicate(tx, email);
  await tx.run(sql`UPDATE referral_codes SET uses = uses + 1 WHERE id = ${code.id}`);
  if (isApproved) await startProvisioning(ctx, tx, id, { delaySeconds: 15 });
  else await mailReceived(ctx, tx, { id, business_name, contact_name, email, kyc_required });
  return { id, status: isApproved ? 'provisioning' : 'pending' };
}

/** Without the upload token: the caller may not be the applicant. */
async function duplicate(tx: Db, email: string): Promise<Failure> {
  const row = await tx.row<{ id: string }>(sql`
    SELECT id FROM reseller_applications WHERE email = ${email} AND status <> 'rejected'`);
  // It was rejected at this moment.
  if (!row) return fail('onboarding.application_exists');
  const { id: application_id, status, kyc_status, kyc_required } = await findApplication(tx, row.id);
  const body = { application_id, status, kyc_status, kyc_required, required_documents: documentsFor(kyc_required) };
  return fail('onboarding.application_exists', {}, { body });
}

/** If it fails, the queued job tries again. */
async function provisionNow(ctx: SystemCtx, id: string): Promise<void> {
  try {
    await provision(ctx, id);
  } catch (error) {
    ctx.log.warn({ err: error, application: id }, 'could not provision a tenant at once; the queue tries again');
  }
}

function submitted(ctx: SystemCtx, { id, status, kyc_required, tenant_id }: ApplicationRow): Submitted {
  const required_documents = documentsFor(kyc_required);
  const upload_token = uploadToken(ctx, id);
  return {
    application_id: id,
    status,
    kyc_required,
    required_documents,
    upload_token,
    ...(tenant_id && { tenant_id }),
  };
}
