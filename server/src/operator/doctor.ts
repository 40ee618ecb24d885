import { type Config, ConfigError } from '../config/config.ts';
import { type Finding, findProblems } from '../tenancy/doctor.ts';
import { KeyError } from '../tenancy/installation-key.ts';
import { finishRemoval } from '../tenancy/remove-tenant.ts';
import { archiveServices } from './archive-services.ts';
import { findBackupProblems } from './backup-problems.ts';
import { type Command, type Session, UsageError } from './command.ts';
import { findMailProblems } from './inbound-mail.ts';
import { findSchemaDifferences } from './schema-differences.ts';
import { findUnknownKeys } from './sealed-data.ts';
import { findExpiringCertificates, findServiceProblems } from './service-problems.ts';
import { findWaitingEvents } from './waiting-events.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  usage: '[--repair] [--drop-orphans [--yes]] [--json]',
  summary:
    'find what is wrong with tenants, databases, secrets, failed jobs, files, mail, backups, certificates and disks; repair with --repair what can be repaired',
  options: { repair: { type: 'boolean' }, 'drop-orphans': { type: 'boolean' }, yes: { type: 'boolean' } },
  async run({ kernel, table, ask, config }, { options }) {
    const findings = [
      ...(await findPlatformProblems(kernel)),
      ...unsentMails(config),
      ...(await findMailProblems(config)),
      ...(await findExpiringCertificates(config, new Date())),
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

/** The earlier name. */
export const tenantDoctorCommand: Command = {
  ...doctorCommand,
  name: 'tenant:doctor',
  summary: "the earlier name of 'doctor'",
};

/** With a wrong key the platform does not boot. */
async function findPlatformProblems(open: Session['kernel']): Promise<Finding[]> {
  try {
    const platform = await open();
    const { central, databases } = platform;
    const erase = async (id: string) => finishRemoval(await archiveServices(platform), id);
    return [
      ...(await findProblems(central, databases, erase)),
      ...(await findSchemaDifferences(platform)),
      ...(await findUnknownKeys(platform)),
      ...(await findWaitingEvents(platform)),
      ...(await findServiceProblems(platform)),
      ...(await findBackupProblems(platform)),
    ];
  } catch (error) {
    if (!(error instanceof KeyError || error instanceof ConfigError)) throw error;
    const problem = error instanceof KeyError ? 'wrong APP_KEY' : 'wrong configuration';
    return [{ problem, subject: error.message, remedy: 'correct it; databases and services were not checked' }];
  }
}

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
