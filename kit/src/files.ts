import type { Readable } from 'node:stream';
import { type TProperties, Type } from 'typebox';

/**
 * A type that uploaded files may have, recognized by their content; `message/rfc822` is a mail that came in, and
 * `application/octet-stream` any other file, which is private and only downloaded.
 */
export type FileType =
  | 'image/jpeg'
  | 'image/png'
  | 'image/webp'
  | 'application/pdf'
  | 'message/rfc822'
  | 'application/octet-stream';

/** A file of a request, for as long as the request runs. Gone afterwards unless `ctx.files` keeps it. */
export interface Upload {
  /** The name of its field in the form. */
  readonly field: string;
  /** Detected from the content. */
  readonly type: FileType;
  /** In bytes. */
  readonly size: number;
  /** The name that the client sent. Never use it as a path. */
  readonly fileName: string;
  /** The content, each time from the beginning. */
  stream(): Readable;
}

export interface UploadRules {
  readonly types: readonly FileType[];
  readonly maxBytes: number;
}

const typeNames: Readonly<Record<FileType, string>> = {
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'image/webp': 'WebP',
  'application/pdf': 'PDF',
  'message/rfc822': 'mail',
  'application/octet-stream': 'other',
};

/** `JPEG, PNG or WebP`. */
export function listTypes(types: readonly FileType[]): string {
  const names = types.map((type) => typeNames[type]);
  return [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' or ');
}

/** The field of an input that is an uploaded file. The action needs `accepts: 'multipart'`. */
export function UploadedFile(rules: UploadRules) {
  const description = `${listTypes(rules.types)}, at most ${rules.maxBytes} bytes.`;
  return Type.Unsafe<Upload>({ type: 'object', upload: rules, description, examples: ['(the file)'] });
}

/** The name and the rules of the uploaded file among the fields of an input. */
export function uploadField(properties: TProperties = {}): ({ readonly name: string } & UploadRules) | undefined {
  for (const [name, schema] of Object.entries(properties)) {
    const { upload } = schema as { upload?: UploadRules };
    if (upload) return { name, ...upload };
  }
  return undefined;
}

export interface StoredFile {
  readonly id: string;
  readonly type: FileType;
  readonly size: number;
}

/** A file whose content is written and which no transaction has kept yet. */
export interface WrittenFile extends StoredFile {
  readonly isPublic: boolean;
  /** The record that deletes the content if the file is not kept. */
  readonly record: string;
}

interface WriteOptions {
  /** Required for content that is not an upload. */
  readonly type?: FileType;
  /** Everyone who knows its URL can read it, forever: for pictures in a shop. Default: private. */
  readonly isPublic?: boolean;
}

/** A type that pictures are re-encoded to. */
export type ImageType = 'image/webp' | 'image/png';

/** A picture in one size. */
export interface WrittenImage {
  readonly file: WrittenFile;
  readonly width: number;
  readonly height: number;
}

interface LinkOptions {
  /** How long the link works. Default 300, at most 86,400. */
  readonly seconds?: number;
  /** The name that the download gets. */
  readonly fileName?: string;
}

/**
 * The files of a module in the current tenant; those of a system module belong to no tenant. No other module or tenant
 * can reach them. A file belongs to the transaction that keeps or removes it: if that is rolled back, nothing has changed.
 */
export interface Files {
  /** Writes a file. Before the transaction: it may take long. It is deleted unless a transaction keeps it within an hour. */
  write(content: Upload | Uint8Array, options?: WriteOptions): Promise<WrittenFile>;
  /** The type of content from elsewhere; `undefined` if it is none that may be shown. */
  detectType(content: Uint8Array): FileType | undefined;
  /**
   * Re-encodes a picture and writes it as public files, WebP by default, the largest first: one for each size, which is the length
   * of the longer side in pixels, but none larger than the picture. Nothing but the pixels remains: no metadata, such as the place
   * where a photo was taken. Throws 422 if it cannot be read.
   */
  writeImage(
    upload: Upload,
    sizes: readonly number[],
    options?: { readonly type?: ImageType },
  ): Promise<WrittenImage[]>;
  /** Writes a public copy of a private file. Keep it, and remove the private one, in the transaction that refers to it. */
  publish(id: string): Promise<WrittenFile>;
  keep(file: WrittenFile): Promise<StoredFile>;
  /** Throws 404 if there is no such file. */
  read(id: string): Promise<Readable>;
  /** Resolves to whether the file existed. */
  remove(id: string): Promise<boolean>;
  /** A link for a download by anyone who has it, until it expires. */
  link(id: string, options?: LinkOptions): Promise<string>;
  /** The URL of a public file, relative to the platform's. */
  publicUrl(file: StoredFile): string;
}
