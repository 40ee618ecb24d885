/** A part of a form, with its headers as they are sent. */
export interface FormPart {
  readonly headers: string;
  readonly content: string | Uint8Array;
}

const boundary = 'chowk-test-boundary';

export const formHeaders = { 'content-type': `multipart/form-data; boundary=${boundary}` };

/** `multipart/form-data` from parts, as a browser sends it. */
export function formBody(parts: readonly FormPart[], { end = `--${boundary}--\r\n` } = {}): Buffer {
  const chunks = parts.flatMap(({ headers, content }) => [
    Buffer.from(`--${boundary}\r\n${headers}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...chunks, Buffer.from(end)]);
}

export function textPart(name: string, content: string): FormPart {
  return { headers: `Content-Disposition: form-data; name="${name}"`, content };
}

export function filePart(
  content: string | Uint8Array,
  fileName = 'photo.png',
  type = 'image/png',
  name = 'file',
): FormPart {
  const headers = `Content-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: ${type}`;
  return { headers, content };
}

/** A request with a form. */
export function formRequest(url: string, ...parts: readonly FormPart[]) {
  return { method: 'POST', url, headers: formHeaders, payload: formBody(parts) } as const;
}
