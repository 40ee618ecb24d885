import { byText, byTime, type Db, equals, filter, Line, list, type Sql, type SystemCtx, sql } from '@chowk/kit';
import { formatAddresses } from './addresses.ts';
import { fail } from './errors.ts';
import { isVisible } from './referral-codes.ts';
import {
  Application,
  ApplicationStatus,
  type Progress,
  type PublicStatus,
  requiredDocuments,
  type StepName,
  stepNames,
} from './schemas.ts';

/** An application `a` as it is stored. */
export interface ApplicationRow extends Omit<Application, 'progress' | 'required_documents' | 'application_id'> {
  readonly auto_approve: boolean;
  readonly password_hash: string | null;
  readonly owner_user_id: number | null;
  readonly attempts: number;
  /** The tenant in the making, whatever the status is. */
  readonly new_tenant_id: string | null;
  readonly steps: Readonly<Partial<Record<StepName, Pick<Progress, 'status' | 'at'>>>>;
}

const columns = sql`a.id, a.status, a.kyc_status, a.kyc_required, a.auto_approve, a.rejection_reason, a.parent_tenant_id,
  a.tenant_role, a.business_name, a.contact_name, a.email, a.phone, a.preferred_domain, a.password_hash, a.owner_user_id,
  a.attempts, a.created_at, a.updated_at, a.tenant_id AS new_tenant_id,
  CASE WHEN a.status = 'completed' THEN a.tenant_id END AS tenant_id,
  (SELECT c.code FROM referral_codes c WHERE c.id = a.referral_code_id) AS referral_code,
  ARRAY(SELECT d.type FROM application_documents d WHERE d.application_id = a.id ORDER BY d.type) AS uploaded_documents,
  ARRAY(SELECT d.domain FROM domains d WHERE d.tenant_id = a.tenant_id ORDER BY d.kind DESC, d.domain) AS domains,
  (SELECT coalesce(json_object_agg(s.step, json_build_object('status', s.status,
      'at', to_char(s.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))), '{}')
    FROM provisioning_steps s WHERE s.application_id = a.id) AS steps`;

export const applicationList = list({
  name: 'applications',
  row: Application,
  database: (ctx: SystemCtx) => ctx.central,
  from: (ctx) => sql`(SELECT * FROM reseller_applications a WHERE ${isVisible(ctx, sql`a`)}) a`,
  alias: sql`a`,
  columns,
  filters: {
    status: equals(ApplicationStatus, sql`a.status`),
    kyc_status: equals(Application.properties.kyc_status, sql`a.kyc_status`),
    search: filter(
      Line(100, { description: 'A part of the business, the name or the address.' }),
      (text) => sql`strpos(lower(a.business_name || ' ' || a.contact_name || ' ' || a.email), lower(${text})) > 0`,
    ),
  },
  sorts: { created_at: byTime(sql`a.created_at`), business_name: byText(sql`lower(a.business_name)`) },
  complete: async (_ctx, rows: readonly ApplicationRow[]) => rows.map(showApplication),
});

export async function findApplication(db: Db, id: string, lock: Sql = sql``): Promise<ApplicationRow> {
  const row = await db.row<ApplicationRow>(
    sql`SELECT ${columns} FROM reseller_applications a WHERE a.id = ${id} ${lock}`,
  );
  if (!row) throw fail('onboarding.application_not_found');
  return row;
}

/** An application that the caller may review. */
export async function getApplication(ctx: SystemCtx, { id }: { id: string }): Promise<Application> {
  return showApplication(await findVisible(ctx, ctx.central, id));
}

export async function findVisible(ctx: SystemCtx, db: Db, id: string, lock: Sql = sql``): Promise<ApplicationRow> {
  return findApplication(db, id, sql`AND ${isVisible(ctx, sql`a`)} ${lock}`);
}

export function showApplication(row: ApplicationRow): Application {
  const {
    auto_approve: _,
    password_hash: __,
    owner_user_id: ___,
    attempts: ____,
    new_tenant_id: _____,
    ...shown
  } = row;
  return { ...shown, ...readState(row) };
}

/** For everyone who knows the id. */
export async function getStatus(ctx: SystemCtx, { id }: { id: string }): Promise<PublicStatus> {
  const row = await findApplication(ctx.central, id);
  const { rejection_reason, uploaded_documents, tenant_id } = row;
  const [url = null] = tenant_id === null ? [] : formatAddresses(ctx, row.domains);
  return { ...readState(row), uploaded_documents, rejection_reason, tenant_id, url };
}

function readState({ id, status, kyc_status, kyc_required, steps }: ApplicationRow) {
  const progress = stepNames.map((step): Progress => ({ step, ...(steps[step] ?? { status: 'pending', at: null }) }));
  return {
    application_id: id,
    status,
    kyc_status,
    kyc_required,
    progress,
    required_documents: documentsFor(kyc_required),
  };
}

export function documentsFor(isRequired: boolean): string[] {
  return isRequired ? [...requiredDocuments] : [];
}
