import type { MaybePromise } from '@chowk/kit';
import { fail } from '../errors.ts';
import { reservedLabels } from './labels.ts';

/** What a caller says about the tenant it means. */
export interface TenantClaim {
  /** The host it speaks to, as the Host header names it. */
  readonly host: string;
  /** The `X-Tenant` header: an id or a domain. */
  readonly header: string | undefined;
}

export interface Binding<Entry> {
  readonly tenant: Entry;
  /** The ring the host name asks for, when it names one. */
  readonly ring: string | undefined;
}

/** Anything else, such as `acme.localhost:80@example.com`, is one host to us and another to a proxy. */
const hostAndPort = /^([\w.-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/** What a claim is looked up in; labels are in lower case. */
interface Names<Entry> {
  find(label: string): MaybePromise<Entry | undefined>;
  ringAt(segment: string): MaybePromise<string | undefined>;
}

/** The one place that decides which tenant a call is bound to: for HTTP, sockets, jobs and commands alike. */
export async function bindTenant<Entry extends { readonly id: string }>(
  names: Names<Entry>,
  baseDomain: string,
  claim: TenantClaim,
): Promise<Binding<Entry> | undefined> {
  const host = await readHost(names, baseDomain, hostname(claim.host));
  const byHost = host && (await knownTenant(names, host.label));
  const byHeader = claim.header === undefined ? undefined : await knownTenant(names, claim.header);
  if (byHost && byHeader && byHost.id !== byHeader.id) throw fail('tenancy.ambiguous');
  const tenant = byHost ?? byHeader;
  return tenant && { tenant, ring: host?.ring };
}

function hostname(host: string): string {
  const name = hostAndPort.exec(host)?.[1];
  if (name === undefined) throw fail('tenancy.bad_host');
  return name;
}

/** The tenant that an id or a domain leads to. */
export async function knownTenant<Entry>(names: Pick<Names<Entry>, 'find'>, label: string): Promise<Entry> {
  // What is longer than DNS allows, or no host name at all, cannot be anyone's and is not worth a look-up.
  const tenant = /^[\w.-]{1,63}$/.test(label) ? await names.find(label.toLowerCase()) : undefined;
  if (!tenant) throw fail('tenancy.unknown');
  return tenant;
}

/** `acme.localhost` and `acme.edge.localhost`; other hosts, and labels that are nobody's, bind nothing. */
async function readHost(
  names: Names<unknown>,
  baseDomain: string,
  host: string,
): Promise<{ label: string; ring: string | undefined } | undefined> {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (!name.endsWith(`.${baseDomain}`)) return undefined;
  const [label, segment, ...more] = name.slice(0, -baseDomain.length - 1).split('.');
  if (!label || reservedLabels.has(label)) return undefined;
  if (segment === undefined) return (await names.ringAt(label)) ? undefined : { label, ring: undefined };
  const ring = more.length === 0 ? await names.ringAt(segment) : undefined;
  if (!ring) throw fail('tenancy.unknown');
  return { label, ring };
}
