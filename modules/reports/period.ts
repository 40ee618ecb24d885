import type { Ctx, Issues } from '@chowk/kit';
import type { PeriodInput } from './schemas.ts';

export interface Period {
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
  readonly currency: string;
}

const maxDays = 3_660;
const dayLength = 86_400_000;

export async function readPeriod(ctx: Ctx, { from, to, currency }: PeriodInput): Promise<Period> {
  const { 'general.timezone': timezone, 'general.currency': own } = await ctx.settings();
  const last = to ?? ctx.now().toLocaleDateString('sv-SE', { timeZone: timezone });
  return { from: from ?? addDays(last, -29), to: last, timezone, currency: currency ?? own };
}

export async function checkPeriod(ctx: Ctx, input: PeriodInput, issues: Issues): Promise<void> {
  const { from, to } = await readPeriod(ctx, input);
  const days = (Date.parse(to) - Date.parse(from)) / dayLength + 1;
  if (days < 1) issues.add('from', `The first day must not be after the last, ${to}.`, 'too_large');
  else if (days > maxDays) issues.add('from', `A report covers at most ${maxDays} days.`, 'too_small');
}

/** Within the years that a day can be written with. */
function addDays(day: string, days: number): string {
  const time = Math.max(Date.parse(day) + days * dayLength, Date.parse('0001-01-01'));
  return new Date(time).toISOString().slice(0, 10);
}
