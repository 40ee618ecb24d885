export interface PackedFile {
  readonly name: string;
  readonly mode: number;
  readonly content: Buffer;
}

const block = 512;

/** A tar archive (POSIX ustar) whose bytes depend on names, modes, contents and the time alone. */
export function writeTar(files: readonly PackedFile[], time: Date): Buffer {
  const parts = files.flatMap((file) => {
    const padding = Buffer.alloc(-file.content.length & (block - 1));
    return [header(file, time), file.content, padding];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

function header({ name, mode, content }: PackedFile, time: Date): Buffer {
  const fields = Buffer.alloc(block);
  const octal = (value: number, start: number, length: number) =>
    fields.write(value.toString(8).padStart(length - 1, '0'), start);
  fields.write(name, 0);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(content.length, 124, 12);
  octal(Math.floor(time.getTime() / 1000), 136, 12);
  fields.fill(' ', 148, 156);
  fields.write('0', 156);
  fields.write('ustar\0' + '00', 257, 'latin1');
  octal(
    fields.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  fields[154] = 0;
  return fields;
}
