import { createHash, randomInt } from 'node:crypto';

/** Labels that never become a tenant's id or alias; every ring's hostname segment joins them. */
export const reservedLabels: ReadonlySet<string> = new Set(
  `www api admin app mail smtp ftp ns1 ns2 static assets cdn docs status install login auth oauth graphql health ws
   realtime dev test staging`.split(/\s+/),
);

const pattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const letters = 'abcdefghijkmnpqrstuvwxyz';
const lettersAndDigits = `${letters}23456789`;

/** Whether the text can stand as one label of a host name: lower-case letters, digits and inner hyphens, at most 63. */
function isLabel(text: string): boolean {
  // `xn--` marks an encoded name, which a browser would show as something else.
  return pattern.test(text) && !text.startsWith('xn--');
}

/** What is wrong with a label that somebody wants for a tenant, or `undefined`. */
export function labelProblem(label: string, ringSegments: ReadonlySet<string>): string | undefined {
  if (!isLabel(label)) return 'Use lower-case letters, digits and inner hyphens, at most 63 characters.';
  if (reservedLabels.has(label) || ringSegments.has(label)) return `${label} is reserved.`;
  return undefined;
}

/** Eight characters without the ones that are easily taken for another. */
export function randomLabel(): string {
  let label = letters.charAt(randomInt(letters.length));
  while (label.length < 8) label += lettersAndDigits.charAt(randomInt(lettersAndDigits.length));
  return label;
}

/** `tenant<id>`, cut and made unique again where PostgreSQL would cut it at 63 bytes. */
export function databaseName(tenantId: string): string {
  if (tenantId.length <= 57) return `tenant${tenantId}`;
  const digest = createHash('sha256').update(tenantId).digest('hex');
  return `tenant${tenantId.slice(0, 48)}_${digest.slice(0, 8)}`;
}
