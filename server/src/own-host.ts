import { isIP } from 'node:net';
import type { SystemCtx } from '@chowk/kit/kernel';
import type { Config } from './config/config.ts';

type Client = SystemCtx['client'];

/** See `SystemServices`. */
export function isOwnHost(
  { appUrl, baseDomain }: Pick<Config, 'appUrl' | 'baseDomain'>,
  { host }: Pick<Client, 'host'>,
): boolean {
  const name = host.toLowerCase().replace(/:\d*$/, '');
  if (['localhost', baseDomain, new URL(appUrl).hostname].includes(name) || name.endsWith(`.${baseDomain}`))
    return true;
  return isIP(name.replace(/^\[|\]$/g, '')) > 0;
}

/** See `SystemServices`. */
export function isOwnOrigin(
  { appUrl }: Pick<Config, 'appUrl'>,
  { host, header }: Pick<Client, 'host' | 'header'>,
): boolean {
  const origin = header('origin');
  return origin === undefined || origin === appUrl || URL.parse(origin)?.host === host.toLowerCase();
}
