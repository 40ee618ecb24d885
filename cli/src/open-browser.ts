import { spawn } from 'node:child_process';
import type { Environment } from './environment.ts';

/** Tries to open an address; without a browser nothing happens. */
export function openBrowser({ platform, variables }: Environment, address: string): void {
  if (!/^https?:\/\//.test(address)) return;
  const [program, ...args] =
    platform.os === 'darwin'
      ? ['open']
      : platform.os === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : [variables.BROWSER || 'xdg-open'];
  const child = spawn(program as string, [...args, address], { detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}
