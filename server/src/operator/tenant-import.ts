import { completeNewTenant } from '../promotion/prepare-tenant.ts';
import { importTenant } from '../tenancy/archive-import.ts';
import { openArchive } from '../tenancy/archive-source.ts';
import { archiveServices, throttled } from './archive-services.ts';
import type { Command } from './command.ts';
import { prepareOwner } from './tenant-create.ts';

export const tenantImportCommand: Command = {
  name: 'tenant:import',
  usage: '<file> [--id=<id>] [--owner=<email>] [--large] [--json]',
  summary: 'create a tenant from an exported file',
  options: { id: { type: 'string' }, owner: { type: 'string' }, large: { type: 'boolean' } },
  positionals: { min: 1, max: 1 },
  async run({ kernel: open, say, table, progress }, { positionals: [file = ''], options }) {
    const isLarge = options.large === true;
    const id = typeof options.id === 'string' ? options.id : await idIn(file, isLarge);
    const kernel = await open();
    const owner = typeof options.owner === 'string' ? await prepareOwner(kernel, id, options.owner) : undefined;
    const services = await archiveServices(kernel, throttled(progress));
    const { reports } = await importTenant(services, file, { id, isLarge, inTransaction: owner?.join });
    await completeNewTenant(kernel, id);
    if (options.json) return table([{ id, reports }], '');
    say(`Imported ${id}.`);
    for (const report of reports) say(`  ${report}`);
    if (owner) say(owner.welcome());
  },
};

async function idIn(file: string, isLarge: boolean): Promise<string> {
  const archive = await openArchive(file, { isLarge });
  await archive.close();
  return archive.manifest.tenant.id;
}
