import { type Manifest, Measure } from './archive-manifest.ts';
import type { ArchiveServices } from './archive-services.ts';
import { type TenantSource, withSnapshot } from './archive-source.ts';
import { ArchiveWriter } from './archive-writer.ts';

export interface ExportResult {
  readonly rows: number;
  readonly files: number;
  /** The size of the archive. */
  readonly bytes: number;
  /** Files that were deleted during the export. */
  readonly missingFiles: number;
}

/** Writes an archive of a tenant. The file appears when it is complete. */
export async function exportTenant(services: ArchiveServices, tenantId: string, path: string): Promise<ExportResult> {
  return withSnapshot(services, tenantId, async (source) => {
    const { manifest: _, ...result } = await writeArchive(services, source, path);
    return result;
  });
}

export async function writeArchive(
  { onProgress }: Pick<ArchiveServices, 'onProgress'>,
  source: TenantSource,
  path: string,
): Promise<ExportResult & { readonly manifest: Manifest }> {
  const writer = await ArchiveWriter.open(path);
  try {
    return await fillArchive(onProgress, source, writer);
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

async function fillArchive(
  onProgress: ArchiveServices['onProgress'],
  source: TenantSource,
  writer: ArchiveWriter,
): Promise<ExportResult & { readonly manifest: Manifest }> {
  const { facts } = source;
  const tables = [];
  let rows = 0;
  for (const [index, table] of facts.tables.entries()) {
    const title = `${index + 1}/${facts.tables.length} ${table.name}`;
    const measure = new Measure((count) => onProgress(`${title}: ${count.toLocaleString('en')} rows`));
    await writer.add(`tables/${table.name}.copy`, measure.through(source.rows(table)));
    const digest = measure.digest();
    tables.push({ name: table.name, columns: [...table.columns], ...digest });
    rows += digest.rows;
  }
  const measure = new Measure();
  const counts = { files: 0, missingFiles: 0 };
  for await (const { module, id, content } of source.files()) {
    if (!content) {
      counts.missingFiles += 1;
      continue;
    }
    await writer.add(`files/${module}/${id}`, measure.through(content));
    counts.files += 1;
    if (counts.files % 100 === 0) onProgress(`${counts.files.toLocaleString('en')} files`);
  }
  const { bytes, sha256 } = measure.digest();
  const manifest = { ...facts, tables, files: { count: counts.files, bytes, sha256 } };
  await writer.add('manifest.json', [Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)]);
  return { rows, ...counts, bytes: await writer.finish(), manifest };
}
