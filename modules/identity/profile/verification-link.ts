import { createHash } from 'node:crypto';
import { invalid, type Static, type SystemCtx, Type } from '@chowk/kit';

const purpose = 'email verification';
export const verificationMinutes = 60;

/** Loose, for whatever is wrong with a link is answered in one way: it is not valid. */
export const VerificationLink = Type.Object({
  id: Type.String(),
  hash: Type.String(),
  tenant: Type.Optional(Type.String({ description: 'The id or a domain of the tenant.' })),
  expires: Type.Optional(Type.String({ description: 'Seconds since 1970.' })),
  signature: Type.Optional(Type.String()),
});
/** A link as it came back: nothing in it is to be trusted before it was checked. */
export type VerificationLink = Static<typeof VerificationLink>;

export function addressHash(email: string): string {
  return createHash('sha1').update(email.toLowerCase()).digest('hex');
}

/** Leads to a page with a button: what opens every link in a mail, as scanners do, verifies nothing. */
export function verificationUrl(
  ctx: SystemCtx,
  { userId, email, tenantId }: { userId: number; email: string; tenantId: string | undefined },
): string {
  const expires = String(Math.floor(ctx.now().getTime() / 1_000) + verificationMinutes * 60);
  const tenant = tenantId === undefined ? {} : { tenant: tenantId };
  const link = { id: String(userId), hash: addressHash(email), ...tenant, expires };
  const signature = ctx.system.secrets.sign(purpose, signedText(link));
  const query = new URLSearchParams({ ...tenant, expires, signature });
  return `${ctx.system.url}/email/verify/${link.id}/${link.hash}?${query}`;
}

/** Throws for a link that is forged or over. One without a signature passes where the operator lets it. */
export function checkSignature(ctx: SystemCtx, link: VerificationLink): void {
  const { expires, signature } = link;
  if (expires === undefined && signature === undefined && !ctx.system.options.signedLinksOnly) return;
  if (expires === undefined || signature === undefined) throw badLink();
  if (!ctx.system.secrets.isSignature(purpose, signedText(link), signature)) throw badLink();
  if (Number(expires) * 1_000 <= ctx.now().getTime()) {
    throw invalid({ hash: 'This verification link has expired. Sign in and ask for a new one.' });
  }
}

export function badLink() {
  return invalid({ hash: 'This verification link is not valid. Sign in and ask for a new one.' });
}

/** As JSON, so that no two links have the same text. */
function signedText({ id, hash, tenant, expires }: VerificationLink): string {
  return JSON.stringify([id, hash, tenant ?? null, expires]);
}
