/** One pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<< >>\nendobj\ntrailer\n<< >>\n%%EOF\n');

/** Uploads what an application needs. */
export async function uploadDocuments(
  origin: string,
  { id, token }: { readonly id: string; readonly token: string },
): Promise<void> {
  const files = [
    ['government_id', new File([pdf], 'id.pdf', { type: 'application/pdf' })],
    ['selfie', new File([picture], 'me.png', { type: 'image/png' })],
  ] as const;
  for (const [type, file] of files) {
    const body = new FormData();
    body.set('type', type);
    body.set('file', file);
    const url = `${origin}/api/v1/reseller-register/${id}/documents`;
    const response = await fetch(url, { method: 'POST', headers: { 'x-upload-token': token }, body });
    if (response.status !== 201) throw new Error(`The document was refused: ${await response.text()}`);
  }
}
