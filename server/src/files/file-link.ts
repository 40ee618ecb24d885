import type { Secrets } from '@chowk/kit/kernel';

const purpose = 'file link';
export const downloadPath = '/files/download';

/** Everything that a download depends on, so that serving it needs no database. */
export interface FileLink {
  readonly key: string;
  readonly type: string;
  readonly name: string;
  /** In seconds since 1970. */
  readonly expires: number;
}

/** The path and query of a link that works until it expires. */
export function signedPath(secrets: Secrets, link: FileLink): string {
  const signature = secrets.sign(purpose, signedText(link));
  return `${downloadPath}?${new URLSearchParams({ ...link, expires: String(link.expires), signature })}`;
}

export function isValidLink(
  secrets: Secrets,
  { signature, ...link }: FileLink & { signature: string },
  now: Date,
): boolean {
  return link.expires * 1_000 > now.getTime() && secrets.isSignature(purpose, signedText(link), signature);
}

/** As JSON: no field can be continued in the next one. */
function signedText({ key, type, name, expires }: FileLink): string {
  return JSON.stringify([key, type, name, expires]);
}

/** The `Content-Disposition` of a download. RFC 6266: the name in ASCII and, for clients that know it, in UTF-8. */
export function downloadHeader(fileName: string): string {
  const name = fileName
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}/\\]/gu, '_')
    .slice(0, 100)
    .toWellFormed();
  const ascii = name.replace(/[^\w .()-]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
