import { type Ctx, Issues, Line, Nullable, type Static, Type } from '@chowk/kit';
import { checkConditions, meetsConditions } from './conditions.ts';
import { readFields } from './event-fields.ts';
import { Condition } from './rule-schemas.ts';

/** Conditions of other modules on events: webhooks have them as rules do. */
export const EventConditions = Type.Object({ event: Line(100), conditions: Type.Array(Condition) });
type EventConditions = Static<typeof EventConditions>;

const FieldProblem = Type.Unsafe<Error>(Type.Object({ code: Type.String(), message: Type.String() }));
export const ConditionCheck = Nullable(Type.Record(Type.String(), Type.Array(FieldProblem)));
type Error = Issues['errors'][string][number];

export async function checkEventConditions(
  ctx: Ctx,
  { event, conditions }: EventConditions,
): Promise<Record<string, Error[]> | null> {
  const declared = ctx.declaredEvents[event];
  if (!declared) return null;
  const issues = new Issues();
  checkConditions(readFields(declared.payload), conditions, issues);
  return Object.keys(issues.errors).length === 0 ? null : { ...issues.errors };
}

export async function meetsEventConditions(
  ctx: Ctx,
  { event, conditions, payload }: EventConditions & { payload: unknown },
): Promise<boolean> {
  const declared = ctx.declaredEvents[event];
  return declared !== undefined && meetsConditions(readFields(declared.payload), conditions, payload);
}
