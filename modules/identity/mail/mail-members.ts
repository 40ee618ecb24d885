import { type SystemCtx, sql } from '@chowk/kit';

export interface MemberMail {
  readonly id: string;
  readonly user_id: number;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly button: { readonly label: string; readonly path: string };
  readonly warning: string;
}

/** Each user has at most one of the mails. */
export async function mailMembers(ctx: SystemCtx, { mails }: { mails: readonly MemberMail[] }): Promise<void> {
  const addressees = await findAddressees(
    ctx,
    mails.map(({ user_id }) => user_id),
  );
  const origin = tenantOrigin(ctx);
  for (const { id, user_id, button, ...content } of mails) {
    const user = addressees.get(user_id);
    if (!user) continue;
    const mail = {
      ...content,
      to: user.email,
      organization: ctx.tenant.name,
      recipient: user.name,
      button: { label: button.label, url: origin + button.path },
    };
    await ctx.queueMail(mail, { id });
  }
}

async function findAddressees(ctx: SystemCtx, ids: readonly number[]) {
  const rows = await ctx.central.rows<{ id: number; name: string; email: string }>(sql`
    SELECT u.id, u.name, u.email FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.tenant_id = ${ctx.tenant.id} AND m.user_id = ANY(${ids}::bigint[]) AND u.kind = 'person'
      AND u.disabled_at IS NULL AND u.email IS NOT NULL AND u.email_verified_at IS NOT NULL`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The console of the tenant: `https://acme.example.com`. */
export function tenantOrigin({ tenant, system: { url, baseDomain } }: SystemCtx): string {
  const origin = new URL(url);
  origin.hostname = `${tenant.id}.${baseDomain}`;
  return origin.origin;
}
