import type { Config } from '../config.ts';

const always = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
} as const;

const overTls = { ...always, 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' } as const;

/** What every answer carries unless its route says otherwise: an API answer is never a page, a frame or a cached file. */
export function securityHeaders({ appUrl }: Config): Readonly<Record<string, string>> {
  return appUrl.startsWith('https:') ? overTls : always;
}
