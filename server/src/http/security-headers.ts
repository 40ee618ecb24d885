import type { Config } from '../config.ts';

const always = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
} as const;

const overTls = { ...always, 'strict-transport-security': 'max-age=31536000; includeSubDomains' } as const;

/** What every answer carries unless its route says otherwise: an API answer is never a page, a frame or a cached file. */
export function securityHeaders({ appUrl }: Config): Readonly<Record<string, string>> {
  return appUrl.startsWith('https:') ? overTls : always;
}
