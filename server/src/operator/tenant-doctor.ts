import { type Finding, findProblems } from '../tenancy/doctor.ts';
import { finishRemoval } from '../tenancy/remove-tenant.ts';
import { archiveServices } from './archive-services.ts';
import type { Command } from './command.ts';
import { findUnknownKeys } from './sealed-data.ts';

export const tenantDoctorCommand: Command = {
  name: 'tenant:doctor',
  usage: '[--repair] [--drop-orphans] [--json]',
  summary:
    'find incomplete tenants, interrupted imports and deletions, orphaned databases and unreadable secrets; repair them with --repair',
  options: { repair: { type: 'boolean' }, 'drop-orphans': { type: 'boolean' } },
  async run({ kernel, table }, { options }) {
    const platform = await kernel();
    const { central, databases } = platform;
    const erase = async (id: string) => finishRemoval(await archiveServices(platform), id);
    const rows: { problem: string; subject: string; remedy: string; state: string }[] = [];
    const findings = [...(await findProblems(central, databases, erase)), ...(await findUnknownKeys(platform))];
    for (const finding of findings) {
      const { problem, subject, remedy } = finding;
      rows.push({ problem, subject, remedy, state: await repairFinding(finding, options) });
    }
    table(rows, 'No problems found.');
    if (rows.some(({ state }) => state !== 'repaired')) throw new Error('some problems are not repaired; see the list');
  },
};

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
