import { createHash, timingSafeEqual } from 'node:crypto';
import { type SystemCtx, sql } from '@chowk/kit';
import { fail } from './errors.ts';
import { mustNotBeInstalled } from './installed.ts';
import { mustBeReached, type StepName } from './steps.ts';

/** Allows requests below `/install` while the platform is not installed, except those of foreign web pages. */
export async function requireInstallAccess(ctx: SystemCtx): Promise<void> {
  await mustNotBeInstalled(ctx);
  const { system, client } = ctx;
  if (system.isOwnHost(client) && system.isOwnOrigin(client)) return;
  throw fail('installation.foreign', { url: system.url });
}

/** Allows callers with the token once all earlier steps are completed. */
export async function requireStep(ctx: SystemCtx, step: StepName): Promise<void> {
  if (needsToken(ctx) && !isEqual(ctx.client.header('x-install-token') ?? '', await installToken(ctx))) {
    throw fail('installation.token_required');
  }
  await mustBeReached(ctx, step);
}

/** Only a developer's own machine needs none. */
function needsToken({ system, client }: SystemCtx): boolean {
  return system.options.installToken !== undefined || system.environment === 'production' || !client.isLocal;
}

/** `INSTALL_TOKEN` or, if it is not set, a token that every process of this installation derives from its key. */
export async function installToken({ central, system: { options, secrets } }: SystemCtx): Promise<string> {
  if (options.installToken !== undefined) return options.installToken;
  const installation = await central.row<{ id: string }>(sql`SELECT id FROM installation`);
  return secrets.sign('install token', installation?.id ?? '').slice(0, 24);
}

/** In constant time. */
function isEqual(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
