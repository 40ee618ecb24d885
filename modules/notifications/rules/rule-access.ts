import { type Ctx, forbidden } from '@chowk/kit';
import type { NewRule, Rule } from './rule-schemas.ts';
import { placeholdersIn } from './templates.ts';

type Audience = Awaited<ReturnType<Ctx['audience']>>;
type Used = Partial<Pick<NewRule, 'event' | 'channel' | 'template'>> & {
  readonly conditions?: readonly { readonly field?: string }[];
};

export const viewSensitive = 'customers.view_sensitive';

/** Throws unless the caller may get what the rule sends. */
export async function requireAccess(ctx: Ctx, rule: Used): Promise<void> {
  const permission = missingPermission(ctx, rule, await ctx.audience());
  if (permission !== undefined) throw forbidden(permission);
}

/** Why a rule sends nothing now: the rights of the user who saved it count. */
export async function findRefusal(ctx: Ctx, rule: Rule): Promise<string | undefined> {
  const saver = await ctx.audience(rule.saved_by);
  const permission = missingPermission(ctx, rule, saver);
  if (permission === undefined) return undefined;
  if (rule.saved_by === null)
    return `The rule needs the permission ${permission}, and nobody is known to have saved it; ${advice}`;
  const who = saver.isMember ? 'who saved the rule' : 'who saved the rule is no longer a member of the team and';
  return `The user ${who} does not have the permission ${permission}; ${advice}`;
}

const advice = 'save the rule again.';

function missingPermission(ctx: Ctx, rule: Used, audience: Audience): string | undefined {
  const event = ctx.declaredEvents[rule.event ?? ''];
  if (!event) return undefined;
  if (event.needs !== undefined && !audience.can(event.needs)) return event.needs;
  const isSensitive = [...fieldsUsed(rule)].some((name) => isSensitiveName(event, name));
  return isSensitive && !audience.can(viewSensitive) ? viewSensitive : undefined;
}

/** Whether a field of the event or a placeholder is sensitive. */
export function isSensitiveName({ sensitiveFields }: Audience['events'][string], name: string): boolean {
  return name === 'customer_phone' || sensitiveFields.has(name);
}

/** Texts for members of the team are masked. */
function* fieldsUsed({ conditions = [], template, channel }: Used): Generator<string> {
  for (const { field } of conditions) if (field !== undefined) yield field;
  if (channel === 'in_app') return;
  yield* placeholdersIn(template?.subject ?? '');
  yield* placeholdersIn(template?.body ?? '');
}
