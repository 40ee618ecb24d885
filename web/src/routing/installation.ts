import { ChowkError, type InstallationStatus } from '@chowk/client';
import { redirect } from '@tanstack/react-router';
import { anonymous } from '../session/session.ts';

let isInstalled = false;

/** `undefined` once the platform is installed. */
async function readInstallation(): Promise<InstallationStatus | undefined> {
  if (isInstalled) return undefined;
  try {
    return await anonymous.install.status();
  } catch (error) {
    if (!(error instanceof ChowkError) || error.code !== 'installation.installed') throw error;
    isInstalled = true;
    return undefined;
  }
}

/** The platform redirects its pages itself; those of `npm run dev` are served by Vite. */
export async function requireInstalled(): Promise<void> {
  if (import.meta.env.DEV && (await readInstallation())) throw redirect({ to: '/install', replace: true });
}

export async function requireNotInstalled(): Promise<{ installation: InstallationStatus }> {
  const installation = await readInstallation();
  if (!installation) throw redirect({ to: '/login', replace: true });
  return { installation };
}
