import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { readObjectStorageUrl } from './object-storage-url.ts';

/** A type of variable: how its text is parsed and shown, and what is allowed. */
export interface Kind<Value> {
  /** Completes the sentence "PORT must be …". */
  readonly allowed: string;
  /** The value, or `undefined` for invalid text. The text is trimmed and not empty. */
  parse(text: string): Value | undefined;
  show(value: Value): string;
  /** Invalid text for an error message; `undefined` if it may contain a secret. */
  showInvalid(text: string): string | undefined;
}

/** The values that a default may depend on. A dependent variable is declared after these. */
export interface Basis {
  readonly appEnv: 'local' | 'testing' | 'production';
  readonly port: number;
  readonly baseDomain: string;
  readonly storagePath: string;
  readonly databaseConnections: number;
}

export interface Derived<Value> {
  /** Markdown. */
  readonly description: string;
  from(basis: Basis): Value;
}

export interface Variable<Value> {
  readonly name: string;
  readonly kind: Kind<Value>;
  /** Absent: the variable is optional. */
  readonly default?: Value | Derived<Value>;
  /** One sentence, as Markdown. */
  readonly help: string;
  readonly secret?: true;
}

export function variable<const Value>(
  declaration: Variable<Value> & { readonly default: NoInfer<Value | Derived<Value>> },
): Variable<Value>;
export function variable<const Value>(
  declaration: Variable<Value> & { readonly default?: never },
): Variable<Value | undefined>;
export function variable<const Value>(declaration: Variable<Value>): Variable<Value> {
  return declaration;
}

export function derived<Value>(description: string, from: (basis: Basis) => Value): Derived<Value> {
  return { description, from };
}

export function isDerived<Value>(value: Value | Derived<Value>): value is Derived<Value> {
  return typeof value === 'object' && value !== null && 'from' in value;
}

export const hidden = '••••';

function kind<Value>(allowed: string, parse: (text: string) => Value | undefined): Kind<Value> {
  return { allowed, parse, show: String, showInvalid };
}

function showInvalid(text: string): string | undefined {
  return /:\/\/|@/.test(text) ? showUrl(text) : text;
}

export function integer(min: number, max: number): Kind<number> {
  return kind(`an integer from ${min} to ${max}`, (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  });
}

export const boolean: Kind<boolean> = kind('true, false, 1, 0, on, off, yes or no', (text) => {
  const word = text.toLowerCase();
  if (['true', '1', 'on', 'yes'].includes(word)) return true;
  if (['false', '0', 'off', 'no'].includes(word)) return false;
  return undefined;
});

export function choice<const Word extends string>(...words: readonly Word[]): Kind<Word> {
  const allowed = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return kind(allowed, (text) => words.find((word) => word === text.toLowerCase()));
}

export function matching(pattern: RegExp, allowed: string): Kind<string> {
  return kind(allowed, (text) => (pattern.test(text) ? text : undefined));
}

/** Sent in HTTP headers, so without spaces and only ASCII. */
export function token(minLength: number): Kind<string> {
  return kind(
    `at least ${minLength} visible ASCII ${minLength === 1 ? 'character' : 'characters'} without spaces`,
    (text) => (text.length >= minLength && /^[\x21-\x7e]+$/.test(text) ? text : undefined),
  );
}

export function base64(bytes: number): Kind<string> {
  return kind(`${bytes} bytes in base64 (\`openssl rand -base64 ${bytes}\` creates such a value)`, (text) =>
    decodeBase64(text, bytes) === undefined ? undefined : text,
  );
}

/** A comma-separated list of such values. */
export function listed(item: Kind<string>): Kind<readonly string[]> {
  return {
    ...kind(`a comma-separated list, each item ${item.allowed}`, (text) => {
      const items = splitList(text).map((part) => item.parse(part));
      const valid = items.filter((one) => one !== undefined);
      return items.length > 0 && valid.length === items.length ? Object.freeze(valid) : undefined;
    }),
    show: showList,
  };
}

/** `undefined` unless the text is the padded base64 of exactly this number of bytes. */
export function decodeBase64(text: string, bytes: number): Buffer | undefined {
  const decoded = Buffer.from(text, 'base64');
  return decoded.length === bytes && decoded.toString('base64') === text ? decoded : undefined;
}

/** Relative to the current folder. */
export const path: Kind<string> = kind('a path, not a URL, without control characters', (text) =>
  /:\/\/|[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) ? undefined : resolve(text),
);

function isHostName(text: string): boolean {
  const labels = text.split('.');
  const isValid = labels.every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
  // The URL parser treats a name that ends in a number as an IPv4 address.
  return isValid && text.length <= 253 && isIP(text) === 0 && URL.parse(`http://${text}`)?.hostname === text;
}

/** One address, with or without a name, without characters that could start another header. */
export const mailbox: Kind<string> = kind(
  'a mail address such as shop@example.com or Shop <shop@example.com>',
  (text) => (/^(?:[^<>@:\p{Cc}]* )?<[\w.+-]+@[\w.-]+>$|^[\w.+-]+@[\w.-]+$/u.test(text) ? text : undefined),
);

export const domain: Kind<string> = kind(
  'a lower-case host name without scheme, port or trailing dot, and no IP address',
  (text) => (isHostName(text) ? text : undefined),
);

export const address: Kind<string> = kind('an IP address or a host name', (text) =>
  (isIP(text) !== 0 && !text.includes('%')) || isHostName(text.toLowerCase()) ? text : undefined,
);

function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [ip = '', prefix, ...rest] = text.split('/');
  const version = ip.includes('%') ? 0 : isIP(ip);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || integer(1, version === 4 ? 32 : 128).parse(prefix) !== undefined;
}

export const proxies: Kind<readonly string[]> = {
  ...kind('a comma-separated list of IP addresses, CIDR ranges, loopback, linklocal and uniquelocal', (text) => {
    const items = splitList(text);
    return items.every(isProxy) ? Object.freeze(items) : undefined;
  }),
  show: showList,
};

/** As in a URL: lower case, IPv6 addresses in brackets. */
function isUrlHost(text: string): boolean {
  const [, host = '', port] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(text) ?? [];
  const isHost = address.parse(host.replace(/^\[(.*)\]$/, '$1')) !== undefined;
  const isPort = port === undefined || integer(1, 65_535).parse(port) !== undefined;
  return isHost && isPort && URL.parse(`http://${host}`)?.hostname === host;
}

export const hosts: Kind<readonly string[]> = {
  ...kind(
    'a comma-separated list of host names and IP addresses (IPv6 in brackets), each with or without a port',
    (text) => {
      const items = splitList(text.toLowerCase());
      return items.length > 0 && items.every(isUrlHost) ? Object.freeze(items) : undefined;
    },
  ),
  show: showList,
};

export const origins: Kind<'*' | readonly string[]> = {
  ...kind('* or a comma-separated list of origins such as https://shop.example', (text) => {
    if (text === '*') return '*';
    const items = splitList(text).map((item) => origin.parse(item));
    const valid = items.filter((item) => item !== undefined);
    return items.length > 0 && valid.length === items.length ? Object.freeze(valid) : undefined;
  }),
  show: (value) => (value === '*' ? value : showList(value)),
  showInvalid(text) {
    const items = splitList(text).map(showInvalid);
    return items.includes(undefined) ? undefined : items.join(', ');
  },
};

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function showList(items: readonly string[]): string {
  return items.length === 0 ? '(none)' : items.join(', ');
}

function urlKind(allowed: string, parse: (text: string, url: URL) => string | undefined): Kind<string> {
  return {
    allowed,
    parse(text) {
      const url = parseUrl(text);
      return url === undefined ? undefined : parse(text, url);
    },
    show: (text) => showUrl(text) ?? hidden,
    showInvalid: showUrl,
  };
}

/** The address of a server with its credentials. */
export function connectionUrl(schemes: readonly string[], { database = false } = {}): Kind<string> {
  const starts = schemes.map((scheme) => `${scheme}://`).join(' or ');
  const allowed = `a URL that starts with ${starts}${database ? ' and names a database' : ''}, with a percent-encoded password`;
  return urlKind(allowed, (text, url) => {
    const isScheme = schemes.includes(url.protocol.slice(0, -1));
    // PostgreSQL reaches a Unix socket through `?host=/folder`.
    const hasHost = url.hostname !== '' || (database && url.searchParams.has('host'));
    const hasDatabase = !database || /^\/[^/]+$/.test(url.pathname);
    return isScheme && hasHost && hasDatabase ? text : undefined;
  });
}

/** A PostgreSQL server for tenant databases. */
export interface NamedServer {
  readonly name: string;
  readonly url: string;
  /** Its share of new tenants, compared with other servers. */
  readonly weight: number;
}

function parseServer(text: string): NamedServer | undefined {
  const [, name = '', address = ''] = /^([a-z][a-z0-9-]{0,30})=(postgres(?:ql)?:.+)$/s.exec(text) ?? [];
  const url = parseUrl(address);
  const hasHost = url && (url.hostname !== '' || url.searchParams.has('host'));
  if (!hasHost || name === 'main') return undefined;
  const weight = integer(0, 1000).parse(url.searchParams.get('weight') ?? '1');
  url.searchParams.delete('weight');
  return weight === undefined ? undefined : { name, url: url.href, weight };
}

export const namedServers: Kind<readonly NamedServer[]> = {
  ...kind(
    'a comma-separated list such as east=postgres://user:password@host:5432?weight=2, with different lower-case names other than main, percent-encoded passwords and weights from 0 to 1000',
    (text) => {
      const servers = splitList(text).map(parseServer);
      const valid = servers.filter((server) => server !== undefined);
      const names = new Set(valid.map(({ name }) => name));
      return names.size === servers.length ? Object.freeze(valid) : undefined;
    },
  ),
  show: (servers) =>
    showList(
      servers.map(({ name, url, weight }) => `${name}=${showUrl(url)?.split('?')[0] ?? hidden} (weight ${weight})`),
    ),
  showInvalid: () => undefined,
};

/** Origins by name. */
export const namedUrls: Kind<Readonly<Record<string, string>>> = {
  ...kind('a comma-separated list such as edge=http://10.0.0.7:8080, with different lower-case names', (text) => {
    const items = splitList(text).map((item) => {
      const [, name = '', url = ''] = /^([a-z0-9][a-z0-9-]{0,30})=(.+)$/.exec(item) ?? [];
      return [name, origin.parse(url)] as const;
    });
    const isValid = items.every(([, url]) => url !== undefined);
    const urls = Object.fromEntries(items) as Record<string, string>;
    return isValid && items.length > 0 && Object.keys(urls).length === items.length ? Object.freeze(urls) : undefined;
  }),
  show: (urls) => showList(Object.entries(urls).map(([name, url]) => `${name}=${url}`)),
};

/** Headers by name. Values are percent-encoded, as OpenTelemetry has them. */
export const headerList: Kind<Readonly<Record<string, string>>> = {
  ...kind('a comma-separated list such as authorization=Bearer%20abc', (text) => {
    const items = splitList(text).map((item) => /^([\w-]+)=([\x21-\x7e]+)$/.exec(item));
    const headers = items.map((item): [string, string] => [item?.[1] ?? '', decodePercent(item?.[2] ?? '') ?? '']);
    const isValid = headers.length > 0 && headers.every(([, value]) => /^[\x20-\x7e]+$/.test(value));
    return isValid ? Object.freeze(Object.fromEntries(headers)) : undefined;
  }),
  show: (headers) => showList(Object.keys(headers).map((name) => `${name}=${hidden}`)),
  showInvalid: () => undefined,
};

export const objectStorageUrl: Kind<string> = urlKind(
  'a URL such as s3://key:secret@host/bucket?region=eu-central-1 (with &tls=false for http), with a percent-encoded secret',
  (text) => {
    try {
      readObjectStorageUrl(text);
      return text;
    } catch {
      return undefined;
    }
  },
);

/** Without credentials, which `fetch` refuses in a URL. */
function isPublicWebUrl(url: URL): boolean {
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  return isWeb && url.hostname !== '' && url.username === '' && url.password === '';
}

export const webUrl: Kind<string> = urlKind(
  'an http:// or https:// URL without user name, password or fragment',
  (text, url) => (isPublicWebUrl(url) ? text : undefined),
);

export const origin: Kind<string> = {
  ...urlKind('an http:// or https:// URL without path, user name and password', (_, url) => {
    // The URL parser accepts `*` in a host name, but such an origin would match nothing.
    const isOrigin = url.pathname === '/' && url.search === '' && !url.hostname.includes('*');
    return isPublicWebUrl(url) && isOrigin ? url.origin : undefined;
  }),
  show: String,
};

/**
 * A password with an unencoded `/`, `?` or `#` ends the host early and leaves an `@` after it. Such a URL is refused: it
 * would connect to another host, and its password would be shown as a path.
 */
function parseUrl(text: string): URL | undefined {
  const url = /^[a-z][a-z0-9+.-]*:\/\/[^\s\p{C}]+$/iu.test(text) ? URL.parse(text) : null;
  if (url === null || url.hash !== '' || `${url.pathname}${url.search}`.includes('@')) return undefined;
  const isEncoded = decodePercent(`${url.username}${url.password}${url.pathname}${url.search}`) !== undefined;
  return isEncoded ? url : undefined;
}

function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const secretParameter = /pass|pwd|secret|token|key|sig|auth|cred/i;

/** The URL without its secrets, or `undefined` if they cannot be located. */
function showUrl(text: string): string | undefined {
  const url = parseUrl(text);
  if (url === undefined) return undefined;
  // A user name without a password may be a misplaced password or token.
  const shownName = url.password === '' ? hidden : `${url.username}:${hidden}`;
  const login = url.username === '' && url.password === '' ? '' : `${shownName}@`;
  const query = url.search.replace(/([^?&=]+)=[^&]*/g, (parameter, name: string) =>
    secretParameter.test(decodeURIComponent(name)) ? `${name}=${hidden}` : parameter,
  );
  return `${url.protocol}//${login}${url.host}${url.pathname}${query}`;
}
