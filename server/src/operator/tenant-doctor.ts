import type { Config } from '../config/config.ts';
import { type Finding, findProblems } from '../tenancy/doctor.ts';
import { finishRemoval } from '../tenancy/remove-tenant.ts';
import { archiveServices } from './archive-services.ts';
import { type Command, type Session, UsageError } from './command.ts';
import { findMailProblems } from './inbound-mail.ts';
import { findUnknownKeys } from './sealed-data.ts';
import { findWaitingEvents } from './waiting-events.ts';

export const tenantDoctorCommand: Command = {
  name: 'tenant:doctor',
  usage: '[--repair] [--drop-orphans [--yes]] [--json]',
  summary:
    'find incomplete tenants, failed migrations, interrupted imports and deletions, orphaned databases, unreadable secrets and events that no module of the ring can read; repair them with --repair',
  options: { repair: { type: 'boolean' }, 'drop-orphans': { type: 'boolean' }, yes: { type: 'boolean' } },
  async run({ kernel, table, ask, config }, { options }) {
    const platform = await kernel();
    const { central, databases } = platform;
    const erase = async (id: string) => finishRemoval(await archiveServices(platform), id);
    const findings = [
      ...(await findProblems(central, databases, erase)),
      ...(await findUnknownKeys(platform)),
      ...(await findWaitingEvents(platform)),
      ...unsentMails(config),
      ...(await findMailProblems(config)),
    ];
    if (options['drop-orphans'] && !options.yes) await confirm(findings, ask);
    const rows: { problem: string; subject: string; remedy: string; state: string }[] = [];
    for (const finding of findings) {
      const { problem, subject, remedy } = finding;
      rows.push({ problem, subject, remedy, state: await repairFinding(finding, options) });
    }
    table(rows, 'No problems found.');
    if (rows.some(({ state }) => state !== 'repaired')) throw new Error('some problems are not repaired; see the list');
  },
};

/** Throws unless the operator agrees to the loss of data. */
async function confirm(findings: readonly Finding[], ask: Session['ask']): Promise<void> {
  const lost = findings.filter(({ destroysData }) => destroysData).map(({ subject }) => subject);
  if (lost.length === 0) return;
  const answer = await ask(`This drops ${lost.join(', ')} with all data in them. Enter 'drop' to continue:`);
  if (answer === undefined) throw new UsageError(`--drop-orphans drops ${lost.join(', ')}; confirm with --yes`);
  if (answer !== 'drop') throw new UsageError('nothing was dropped');
}

function unsentMails({ appEnv, mailUrl }: Config): Finding[] {
  if (appEnv !== 'production' || mailUrl !== undefined) return [];
  return [{ problem: 'mails are not sent', subject: 'MAIL_URL is not set', remedy: 'set MAIL_URL' }];
}

async function repairFinding(
  { repair, destroysData }: Finding,
  options: Readonly<Record<string, unknown>>,
): Promise<string> {
  if (!repair) return 'manual repair needed';
  const [isRequested, flag] = destroysData ? [options['drop-orphans'], '--drop-orphans'] : [options.repair, '--repair'];
  if (!isRequested) return `repair with ${flag}`;
  try {
    await repair();
    return 'repaired';
  } catch (error) {
    return `failed: ${(error as Error).message}`;
  }
}
