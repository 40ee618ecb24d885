import { createHash } from 'node:crypto';
import { invalid, type Static, type SystemCtx, Type } from '@chowk/kit';

const purpose = 'email verification';
export const verificationMinutes = 60;

/** Loose: every defect of a link gets the same error. */
export const VerificationLink = Type.Object({
  id: Type.String(),
  hash: Type.String(),
  tenant: Type.Optional(Type.String({ description: 'The id or a domain of the tenant.' })),
  expires: Type.Optional(Type.String({ description: 'Seconds since 1970.' })),
  signature: Type.Optional(Type.String()),
});
export type VerificationLink = Static<typeof VerificationLink>;

export function addressHash(email: string): string {
  return createHash('sha1').update(email.toLowerCase()).digest('hex');
}

/** Leads to a page with a button, because mail scanners open every link. */
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

/** Throws if the link is forged or expired. Links without a signature pass unless the configuration forbids them. */
export function checkSignature(ctx: SystemCtx, link: VerificationLink): void {
  const { expires, signature } = link;
  if (expires === undefined && signature === undefined && !ctx.system.options.signedLinksOnly) return;
  if (expires === undefined || signature === undefined) throw badLink();
  if (!ctx.system.secrets.isSignature(purpose, signedText(link), signature)) throw badLink();
  if (Number(expires) * 1_000 <= ctx.now().getTime()) {
    throw invalid({ hash: 'This verification link has expired. Sign in and request a new one.' });
  }
}

export function badLink() {
  return invalid({ hash: 'This verification link is not valid. Sign in and request a new one.' });
}

/** JSON, so that different links never have the same text. */
function signedText({ id, hash, tenant, expires }: VerificationLink): string {
  return JSON.stringify([id, hash, tenant ?? null, expires]);
}
