import { fail } from '../errors.ts';
import { reservedLabels } from './labels.ts';

/** How a request names its tenant. */
export interface TenantClaim {
  /** The Host header. */
  readonly host: string;
  /** The `X-Tenant` header: an id or a domain. */
  readonly header: string | undefined;
}

export interface ResolvedTenant<Entry> {
  readonly tenant: Entry;
  /** The ring named in the host, as in `acme.edge.localhost`. */
  readonly ring: string | undefined;
}

/** Other forms, such as `acme.localhost:80@example.com`, could be read differently by a proxy. */
const hostAndPort = /^([\w.-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/** Labels are in lower case. */
interface Lookup<Entry> {
  find(label: string): Promise<Entry | undefined>;
  ringAt(segment: string): Promise<string | undefined>;
}

interface Platform {
  readonly baseDomain: string;
  /** The host name of `APP_URL`. */
  readonly ownHost: string;
}

/** Decides which tenant a call is bound to, for every transport. Host and header must not disagree. */
export async function resolveTenant<Entry extends { readonly id: string; readonly isSuspended?: boolean }>(
  lookup: Lookup<Entry>,
  platform: Platform,
  claim: TenantClaim,
): Promise<ResolvedTenant<Entry> | undefined> {
  if (claim.header === '') throw fail('tenancy.empty_header');
  const host = await parseHost(lookup, platform, hostname(claim.host));
  const byHost = host && (await requireTenant(lookup, host.label));
  const byHeader = claim.header === undefined ? undefined : await requireTenant(lookup, claim.header);
  if (byHost && byHeader && byHost.id !== byHeader.id) throw fail('tenancy.ambiguous');
  const tenant = byHost ?? byHeader;
  if (tenant?.isSuspended) throw fail('tenancy.suspended');
  return tenant && { tenant, ring: host?.ring };
}

function hostname(host: string): string {
  const name = hostAndPort.exec(host)?.[1];
  if (name === undefined) throw fail('tenancy.bad_host');
  return name;
}

/** The tenant with this id or domain; throws 404 if there is none. */
export async function requireTenant<Entry>(lookup: Pick<Lookup<Entry>, 'find'>, label: string): Promise<Entry> {
  // An invalid label cannot belong to a tenant, so the lookup is skipped.
  const tenant = /^[\w.-]{1,63}$/.test(label) ? await lookup.find(label.toLowerCase()) : undefined;
  if (!tenant) throw fail('tenancy.unknown');
  return tenant;
}

/** Parses `acme.localhost` and `acme.edge.localhost`; `undefined` for the platform, other hosts and reserved labels. */
async function parseHost(
  lookup: Lookup<unknown>,
  { baseDomain, ownHost }: Platform,
  host: string,
): Promise<{ label: string; ring: string | undefined } | undefined> {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (name === ownHost || !name.endsWith(`.${baseDomain}`)) return undefined;
  const [label, segment, ...more] = name.slice(0, -baseDomain.length - 1).split('.');
  if (!label || reservedLabels.has(label)) return undefined;
  if (segment === undefined) return (await lookup.ringAt(label)) ? undefined : { label, ring: undefined };
  const ring = more.length === 0 ? await lookup.ringAt(segment) : undefined;
  if (!ring) throw fail('tenancy.unknown');
  return { label, ring };
}

/** The last label before the base domain, which can name a ring. */
export function ringSegment(host: string, baseDomain: string): string | undefined {
  const name = hostAndPort.exec(host)?.[1]?.toLowerCase().replace(/\.$/, '');
  return name?.endsWith(`.${baseDomain}`)
    ? name
        .slice(0, -baseDomain.length - 1)
        .split('.')
        .at(-1)
    : undefined;
}
