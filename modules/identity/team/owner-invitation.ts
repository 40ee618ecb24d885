import { type Db, type SystemCtx, sql } from '@chowk/kit';
import { record } from '../activity/activity.ts';
import { unlessLink } from '../mail/mails.ts';
import { hashSecret, newSecret } from '../secret-tokens.ts';

const validDays = 30;

interface OwnerInvitation {
  readonly tenantId: string;
  readonly email: string;
  readonly name: string;
}

/**
 * Mails a person who has an account a link to agree to become the Owner of a tenant: somebody else may have entered the
 * address.
 */
export async function inviteOwner(ctx: SystemCtx, tx: Db, { tenantId, email, name }: OwnerInvitation): Promise<void> {
  const token = newSecret();
  const now = ctx.now();
  const tenant = await tx.row<{ name: string }>(sql`
    WITH open AS (
      INSERT INTO invitations (id, tenant_id, email, role_id, token_hash, by_platform, created_at, updated_at, expires_at)
      SELECT ${ctx.newId()}, ${tenantId}, ${email}, id, ${hashSecret(token)}, true, ${now}, ${now},
        ${now}::timestamptz + make_interval(days => ${validDays})
      FROM roles WHERE tenant_id IS NULL AND name = 'Owner'
      ON CONFLICT (tenant_id, email) WHERE accepted_at IS NULL AND revoked_at IS NULL
        DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at)
    SELECT name FROM tenants WHERE id = ${tenantId}`);
  const organization = unlessLink(tenant?.name ?? '') ?? tenantId;
  await record(ctx, { action: 'member_invited', subjectId: null, tenantId, details: { email, role: 'Owner' } }, tx);
  await ctx.system.mail.send(
    {
      to: email,
      subject: `Do you want to own ${organization}?`,
      organization,
      recipient: unlessLink(name) ?? '',
      paragraphs: [
        `${organization} was created, and your address was given as that of its owner.`,
        'You have an account with this address already. Agree, and it becomes the Owner of the organization.',
      ],
      button: { label: 'Agree', url: `${ctx.system.url}/invitations/${token}` },
      expiry: `The link can be used once and expires in ${validDays} days.`,
      warning: 'If you did not expect this mail, ignore it: nothing happens.',
    },
    tx,
  );
}
