import { createHash, randomInt } from 'node:crypto';

/** Labels of usual rings. */
const ringLabels = 'stable edge canary beta dev test staging'.split(' ');

/**
 * Labels that cannot be a tenant's id or alias, in addition to those of the installation: those of the platform, of usual
 * rings, and those that would let a tenant pose as the platform.
 */
export const reservedLabels: ReadonlySet<string> = new Set([
  ...ringLabels,
  ...`www api admin app mail smtp ftp ns1 ns2 static assets cdn docs status install login auth oauth graphql health ws
   realtime
   signin signup sso secure security account accounts billing console dashboard portal support help root webmaster
   postmaster hostmaster abuse`.split(/\s+/),
]);

const pattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const letters = 'abcdefghijkmnpqrstuvwxyz';
const lettersAndDigits = `${letters}23456789`;

/** Whether the text is a DNS label: lower-case letters, digits and inner hyphens, at most 63 characters. */
function isLabel(text: string): boolean {
  // `xn--` marks an internationalized name, which a browser shows in another form.
  return pattern.test(text) && !text.startsWith('xn--');
}

/** Why a label cannot be used for a tenant; `undefined` if it can. `ownLabels` are those of the installation. */
export function labelProblem(label: string, ownLabels: ReadonlySet<string>): string | undefined {
  if (!isLabel(label)) return 'Use lower-case letters, digits and inner hyphens, at most 63 characters.';
  if (reservedLabels.has(label) || ownLabels.has(label)) return `${label} is reserved.`;
  return undefined;
}

/** Why a label cannot be the name or the hostname segment of a ring; `undefined` if it can. */
export function ringLabelProblem(label: string): string | undefined {
  if (!isLabel(label)) return 'use lower-case letters, digits and inner hyphens, at most 63 characters';
  return reservedLabels.has(label) && !ringLabels.includes(label) ? `${label} is reserved` : undefined;
}

/** Eight characters, without those that are easily confused. */
export function randomLabel(): string {
  let label = letters.charAt(randomInt(letters.length));
  while (label.length < 8) label += lettersAndDigits.charAt(randomInt(lettersAndDigits.length));
  return label;
}

/** `tenant<id>`; longer names, which PostgreSQL would truncate at 63 bytes, end in a hash. */
export function databaseName(tenantId: string): string {
  if (tenantId.length <= 57) return `tenant${tenantId}`;
  const digest = createHash('sha256').update(tenantId).digest('hex');
  return `tenant${tenantId.slice(0, 48)}_${digest.slice(0, 8)}`;
}
