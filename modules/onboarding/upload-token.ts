import type { SystemCtx } from '@chowk/kit';
import { fail } from './errors.ts';

const purpose = 'application documents';

/** The secret that the applicant sends with documents. Derived from the id and not stored. */
export function uploadToken({ system: { secrets } }: SystemCtx, applicationId: string): string {
  return secrets.sign(purpose, applicationId);
}

/** Throws unless the caller is the applicant: the id alone is known to others. */
export function mustHaveUploadToken({ system: { secrets }, client }: SystemCtx, applicationId: string): void {
  const token = client.header('x-upload-token') ?? '';
  if (!secrets.isSignature(purpose, applicationId, token)) throw fail('onboarding.upload_token_needed');
}
