import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { exportTenant } from '../tenancy/archive-export.ts';
import { requireTenantId } from '../tenancy/tenants.ts';
import { archiveServices, throttled } from './archive-services.ts';
import type { Command } from './command.ts';
import { requireOwnRing } from './own-ring.ts';

export const tenantExportCommand: Command = {
  name: 'tenant:export',
  usage: '<id or domain> [--out=<file>] [--json]',
  summary: 'write a tenant with its settings, members, data and files to a ZIP file',
  options: { out: { type: 'string' } },
  positionals: { min: 1, max: 1 },
  async run({ kernel: open, say, table, progress }, { positionals: [label = ''], options }) {
    const kernel = await open();
    const id = await requireTenantId(kernel.central.db, label);
    await requireOwnRing(kernel, id);
    const file = resolve(String(options.out ?? archiveName(id, kernel.now())));
    if (existsSync(file)) throw new Error(`${file} exists already; choose another file with --out`);
    const { rows, files, bytes, missingFiles } = await exportTenant(
      await archiveServices(kernel, throttled(progress)),
      id,
      file,
    );
    if (options.json) return table([{ file, rows, files, bytes, missing_files: missingFiles }], '');
    const size = (bytes / 1_048_576).toFixed(1);
    say(
      `Exported ${id} to ${file}: ${rows.toLocaleString('en')} rows, ${files.toLocaleString('en')} files, ${size} MB.`,
    );
    if (missingFiles > 0) say(`${missingFiles} files were deleted meanwhile and are not in it.`);
    say(
      'It has personal data and names of members. Secrets in it can be opened only with the key of this installation.',
    );
  },
};

/** `acme-20260131T120000.zip` */
export function archiveName(id: string, at: Date): string {
  return `${id}-${at.toISOString().replace(/[-:]|\..*/g, '')}.zip`;
}
