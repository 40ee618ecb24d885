import type { gunzip, InputType } from 'node:zlib';

/** A file or a folder of an archive. */
export interface ArchiveEntry {
  readonly name: string;
  readonly isFile: boolean;
  readonly content: () => Promise<Buffer>;
}

/** What is wrong with an archive, as the end of a sentence about it. */
export class ArchiveError extends Error {}

export async function unpack(how: typeof gunzip, data: InputType, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    how(data, { maxOutputLength: maxBytes }, (error, content) => {
      if (!error) resolve(content);
      else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') reject(tooLarge(maxBytes));
      else reject(new ArchiveError('is damaged', { cause: error }));
    });
  });
}

export function tooLarge(maxBytes: number): ArchiveError {
  return new ArchiveError(`is larger than ${maxBytes / 1e6} MB when unpacked`);
}
