import { type Db, type SystemCtx, sql, type WrittenFile } from '@chowk/kit';
import { type ApplicationRow, findApplication, findVisible } from './applications.ts';
import { fail } from './errors.ts';
import { mailDocuments } from './mails.ts';
import { type Document, type DocumentUploaded, type NewDocument, requiredDocuments } from './schemas.ts';
import { mustHaveUploadToken } from './upload-token.ts';

/** Stores an identity document. The applicant can replace it until all are there, and after they were rejected. */
export async function uploadDocument(ctx: SystemCtx, { id, type, file }: NewDocument): Promise<DocumentUploaded> {
  const { limits, options } = ctx.system;
  limits.take(`upload from ${ctx.client.network}`, options.applicationsPerMinute);
  const application = await findApplication(ctx.central, id);
  mustHaveUploadToken(ctx, id);
  mustAccept(application);
  const written = await ctx.files.write(file);
  return ctx.centralTx(async (tx, files) => {
    mustAccept(await findApplication(tx, id, sql`FOR UPDATE OF a`));
    await replaceDocument(ctx, tx, files, { id, type, written });
    const { uploaded_documents } = await findApplication(tx, id);
    const isComplete = requiredDocuments.every((name) => uploaded_documents.includes(name));
    const kyc_status = isComplete ? 'submitted' : 'pending';
    await tx.run(sql`
      UPDATE reseller_applications SET kyc_status = ${kyc_status}, rejection_reason = NULL, updated_at = ${ctx.now()}
      WHERE id = ${id}`);
    if (isComplete) await mailDocuments(ctx, tx, id);
    return { type, kyc_status, uploaded_documents };
  });
}

function mustAccept({ status, kyc_required, kyc_status }: ApplicationRow): void {
  const isOpen = status === 'pending' && kyc_required && ['pending', 'rejected'].includes(kyc_status);
  if (!isOpen) throw fail('onboarding.documents_closed');
}

async function replaceDocument(
  ctx: SystemCtx,
  tx: Db,
  files: SystemCtx['files'],
  { id, type, written }: { id: string; type: string; written: WrittenFile },
): Promise<void> {
  const old = await tx.row<{ file: string }>(sql`
    DELETE FROM application_documents WHERE application_id = ${id} AND type = ${type} RETURNING file`);
  if (old) await files.remove(old.file);
  const file = await files.keep(written);
  await tx.run(sql`
    INSERT INTO application_documents (id, application_id, type, file, content_type, size, uploaded_at)
    VALUES (${ctx.newId()}, ${id}, ${type}, ${file.id}, ${file.type}, ${file.size}, ${ctx.now()})`);
}

/** Rejected documents must be uploaded again, so they are removed. */
export async function removeDocuments(tx: Db, files: SystemCtx['files'], id: string): Promise<void> {
  const rows = await tx.rows<{ file: string }>(sql`
    DELETE FROM application_documents WHERE application_id = ${id} RETURNING file`);
  for (const { file } of rows) await files.remove(file);
}

/** The documents with short-lived links, for a reviewer. */
export async function listDocuments(ctx: SystemCtx, { id }: { id: string }): Promise<{ documents: Document[] }> {
  await findVisible(ctx, ctx.central, id);
  const rows = await ctx.central.rows<Omit<Document, 'url'> & { file: string }>(sql`
    SELECT id, type, content_type, size, uploaded_at, file FROM application_documents
    WHERE application_id = ${id} ORDER BY type`);
  const documents = rows.map(async ({ file, ...document }) => ({
    ...document,
    url: await ctx.files.link(file, { fileName: document.type }),
  }));
  return { documents: await Promise.all(documents) };
}
