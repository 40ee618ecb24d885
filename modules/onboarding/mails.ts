import { type Db, type Mail, type SystemCtx, sql } from '@chowk/kit';
import { formatAddresses } from './addresses.ts';
import { findApplication } from './applications.ts';
import { uploadToken } from './upload-token.ts';

interface Applicant {
  readonly id: string;
  readonly business_name: string;
  readonly contact_name: string;
  readonly email: string;
}

type Text = Omit<Mail, 'to' | 'organization' | 'recipient' | 'warning'>;

const warning = 'If you have not applied, ignore this mail.';

/** Queues a mail to the applicant in `tx`, from the organization whose code was used. */
async function mailApplicant(ctx: SystemCtx, tx: Db, applicant: Applicant, text: Text): Promise<void> {
  const { id, contact_name: recipient, email: to } = applicant;
  const parent = await tx.row<{ name: string }>(sql`
    SELECT t.name FROM reseller_applications a JOIN tenants t ON t.id = a.parent_tenant_id WHERE a.id = ${id}`);
  const organization = parent?.name ?? '';
  await ctx.system.mail.send({ ...text, to, organization, recipient, warning }, tx);
}

/** The page uploads documents with the token. Browsers do not send what follows `#`, so that no log has it. */
function statusLink(ctx: SystemCtx, id: string) {
  return { label: 'View the application', url: `${ctx.system.url}/apply/${id}#${uploadToken(ctx, id)}` };
}

export function mailReceived(ctx: SystemCtx, tx: Db, applicant: Applicant & { kyc_required: boolean }): Promise<void> {
  const next = applicant.kyc_required
    ? 'Upload a government id and a selfie next, so that we can review it.'
    : 'You get another mail when it is reviewed.';
  return mailApplicant(ctx, tx, applicant, {
    subject: 'We have received your application',
    paragraphs: [`Thank you for applying with ${applicant.business_name}.`, next],
    button: statusLink(ctx, applicant.id),
  });
}

export async function mailDocuments(ctx: SystemCtx, tx: Db, id: string): Promise<void> {
  await mailApplicant(ctx, tx, await findApplication(tx, id), {
    subject: 'We have received your documents',
    paragraphs: ['All required documents are there. You get another mail when they are reviewed.'],
    button: statusLink(ctx, id),
  });
}

export async function mailKycVerified(ctx: SystemCtx, tx: Db, id: string): Promise<void> {
  await mailApplicant(ctx, tx, await findApplication(tx, id), {
    subject: 'Your documents are verified',
    paragraphs: ['Your identity documents were accepted. You get another mail when your organization is ready.'],
    button: statusLink(ctx, id),
  });
}

export async function mailKycRejected(ctx: SystemCtx, tx: Db, id: string, reason: string): Promise<void> {
  await mailApplicant(ctx, tx, await findApplication(tx, id), {
    subject: 'Please upload your documents again',
    paragraphs: ['Your identity documents were not accepted for this reason:', reason],
    button: { ...statusLink(ctx, id), label: 'Upload documents' },
  });
}

export async function mailRejected(ctx: SystemCtx, tx: Db, id: string, reason: string): Promise<void> {
  await mailApplicant(ctx, tx, await findApplication(tx, id), {
    subject: 'Your application was not approved',
    paragraphs: ['Your application was not approved for this reason:', reason],
  });
}

export async function mailWelcome(ctx: SystemCtx, tx: Db, id: string): Promise<void> {
  const application = await findApplication(tx, id);
  const [address] = formatAddresses(ctx, application.domains);
  await mailApplicant(ctx, tx, application, {
    subject: `${application.business_name} is ready`,
    paragraphs: [`Your organization was set up at ${address}.`],
    button: { label: 'Open it', url: address ?? ctx.system.url },
  });
}

/** Without the reason, which only the reviewer sees. */
export async function mailFailed(ctx: SystemCtx, tx: Db, id: string): Promise<void> {
  await mailApplicant(ctx, tx, await findApplication(tx, id), {
    subject: 'Setting up your organization takes longer',
    paragraphs: [
      'Your application was approved, but a problem occurred while your organization was set up. We are looking into it.',
    ],
    button: statusLink(ctx, id),
  });
}
