import { type Db, type SystemCtx, sql } from '@chowk/kit';
import { type ApplicationRow, findApplication, findVisible, showApplication } from './applications.ts';
import { removeDocuments } from './documents.ts';
import { fail } from './errors.ts';
import { mailKycRejected, mailKycVerified, mailRejected } from './mails.ts';
import { startProvisioning } from './provisioning.ts';
import { type Application, requiredDocuments } from './schemas.ts';

type Key = { readonly id: string };
type Reasoned = Key & { readonly reason: string };

/** Changes an application that the caller may review, in a transaction that holds its lock. */
async function change(
  ctx: SystemCtx,
  id: string,
  from: readonly Application['status'][],
  name: string,
  work: (tx: Db, application: ApplicationRow, files: SystemCtx['files']) => Promise<void>,
): Promise<Application> {
  const changed = await ctx.centralTx(async (tx, files) => {
    const application = await findVisible(ctx, tx, id, sql`FOR UPDATE OF a`);
    const { status } = application;
    if (!from.includes(status)) throw fail('onboarding.wrong_status', { status, change: name });
    await work(tx, application, files);
    await tx.run(sql`
      UPDATE reseller_applications SET reviewed_by = ${ctx.user.id}, updated_at = ${ctx.now()} WHERE id = ${id}`);
    const after = await findApplication(tx, id);
    ctx.audit({ status: [status, after.status], kyc_status: [application.kyc_status, after.kyc_status] });
    return after;
  });
  return showApplication(changed);
}

export function verifyKyc(ctx: SystemCtx, { id }: Key): Promise<Application> {
  return change(ctx, id, ['pending'], 'verified', async (tx, application) => {
    mustHaveDocuments(application);
    await tx.run(
      sql`UPDATE reseller_applications SET kyc_status = 'verified', rejection_reason = NULL WHERE id = ${id}`,
    );
    if (application.auto_approve) await startProvisioning(ctx, tx, id);
    else await mailKycVerified(ctx, tx, id);
  });
}

function mustHaveDocuments({ kyc_required, kyc_status, uploaded_documents }: ApplicationRow): void {
  if (!kyc_required || kyc_status === 'verified')
    throw fail('onboarding.wrong_status', { status: 'verified', change: 'verified' });
  const missing = requiredDocuments.filter((type) => !uploaded_documents.includes(type));
  if (missing.length > 0) throw fail('onboarding.kyc_not_submitted', { documents: missing.join(', ') });
}

/** The applicant may upload other documents. */
export function rejectKyc(ctx: SystemCtx, { id, reason }: Reasoned): Promise<Application> {
  return change(ctx, id, ['pending'], 'changed', async (tx, { kyc_required }, files) => {
    if (!kyc_required) throw fail('onboarding.wrong_status', { status: 'without documents', change: 'rejected' });
    await tx.run(sql`
      UPDATE reseller_applications SET kyc_status = 'rejected', rejection_reason = ${reason} WHERE id = ${id}`);
    await removeDocuments(tx, files, id);
    await mailKycRejected(ctx, tx, id, reason);
  });
}

export function approve(ctx: SystemCtx, { id }: Key): Promise<Application> {
  return change(ctx, id, ['pending'], 'approved', async (tx, { kyc_status }) => {
    if (kyc_status !== 'verified' && kyc_status !== 'not_required') throw fail('onboarding.kyc_not_verified');
    await startProvisioning(ctx, tx, id);
  });
}

/** Continues at the step that has failed. */
export function retry(ctx: SystemCtx, { id }: Key): Promise<Application> {
  return change(ctx, id, ['failed'], 'retried', (tx) => startProvisioning(ctx, tx, id));
}

/** Also removes what a failed provisioning has created. */
export async function reject(ctx: SystemCtx, { id, reason }: Reasoned): Promise<Application> {
  let tenantId: string | null = null;
  const application = await change(ctx, id, ['pending', 'failed'], 'rejected', async (tx, { new_tenant_id }, files) => {
    tenantId = new_tenant_id;
    await tx.run(sql`
      UPDATE reseller_applications SET status = 'rejected', rejection_reason = ${reason}, password_hash = NULL
      WHERE id = ${id}`);
    await removeDocuments(tx, files, id);
    await mailRejected(ctx, tx, id, reason);
  });
  if (tenantId) await ctx.system.tenants.steps.discard(tenantId);
  return application;
}
