import { type Ctx, forbidden, matchesEvent } from '@chowk/kit';
import type { Webhook } from './schemas.ts';

const viewSensitive = 'customers.view_sensitive';

/** Throws unless the caller may get the events. A pattern needs one that the caller may get. */
export async function requireAccess(ctx: Ctx, patterns: readonly string[]): Promise<void> {
  // Payloads are not masked.
  if (!ctx.can(viewSensitive)) throw forbidden(viewSensitive);
  const { events } = await ctx.audience();
  for (const pattern of patterns) {
    const matching = Object.entries(ctx.declaredEvents).filter(([name]) => matchesEvent(pattern, name));
    const [[, first] = []] = matching;
    if (first?.needs !== undefined && !matching.some(([name]) => name in events)) throw forbidden(first.needs);
  }
}

/**
 * Whether the webhook gets the event now, by the rights of the user who saved it: `true`, or the reason why not. `false` if
 * only a pattern matches, which stands for the events that the user may get.
 */
export async function findAccess(
  ctx: Ctx,
  { events, saved_by }: Pick<Webhook, 'events' | 'saved_by'>,
  name: string,
): Promise<boolean | string> {
  const event = ctx.declaredEvents[name];
  if (!event) return true;
  const saver = await ctx.audience(saved_by);
  const isAllowed = name in saver.events;
  const isSensitive = event.sensitiveFields.size > 0;
  if (isAllowed && (!isSensitive || saver.can(viewSensitive))) return true;
  if (!isAllowed && saver.isMember && !events.includes(name)) return false;
  const permission = isAllowed ? viewSensitive : event.needs;
  const advice = 'save its URL or its events again, and deliver this event again.';
  if (saved_by === null)
    return `The event needs the permission ${permission}, and nobody is known to have saved the webhook; ${advice}`;
  const who = saver.isMember ? 'who saved the webhook' : 'who saved the webhook is no longer a member of the team and';
  return `The user ${who} does not have the permission ${permission}; ${advice}`;
}
