import { examine, type Finding } from '../tenancy/doctor.ts';
import type { Command } from './command.ts';

export const tenantDoctorCommand: Command = {
  name: 'tenant:doctor',
  usage: '[--repair] [--drop-orphans] [--json]',
  summary: 'find half-made tenants and orphan databases; repair them on request',
  options: { repair: { type: 'boolean' }, 'drop-orphans': { type: 'boolean' } },
  async run({ kernel, table }, { options }) {
    const { central, databases } = await kernel();
    const rows: { problem: string; subject: string; remedy: string; state: string }[] = [];
    for (const finding of await examine(central, databases)) {
      const { problem, subject, remedy } = finding;
      rows.push({ problem, subject, remedy, state: await treat(finding, options) });
    }
    table(rows, 'All tenants are whole.');
    if (rows.some(({ state }) => state !== 'repaired')) throw new Error('not everything is whole; see the list');
  },
};

async function treat({ repair, destroys }: Finding, options: Readonly<Record<string, unknown>>): Promise<string> {
  if (!repair) return 'needs you';
  const [wanted, flag] = destroys ? [options['drop-orphans'], '--drop-orphans'] : [options.repair, '--repair'];
  if (!wanted) return `repair with ${flag}`;
  try {
    await repair();
    return 'repaired';
  } catch (error) {
    return `failed: ${(error as Error).message}`;
  }
}
