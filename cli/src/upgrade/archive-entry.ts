import type { gunzip, InputType } from 'node:zlib';

/** A file or a folder of an archive. */
export interface ArchiveEntry {
  readonly name: string;
  readonly isFile: boolean;
  readonly content: () => Promise<Buffer>;
}

/** What is wrong with an archive, as the end of a sentence about it. */
export class ArchiveError extends Error {}

/** The program has about 110 MB, most of it the Bun runtime. */
export const maxUnpackedBytes = 600_000_000;

export async function unpack(how: typeof gunzip, data: InputType): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    how(data, { maxOutputLength: maxUnpackedBytes }, (error, content) => {
      if (!error) resolve(content);
      else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') reject(tooLarge());
      else reject(new ArchiveError('is damaged', { cause: error }));
    });
  });
}

export function tooLarge(): ArchiveError {
  return new ArchiveError(`is larger than ${maxUnpackedBytes / 1e6} MB when unpacked`);
}
