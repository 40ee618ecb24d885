import { crc32, deflateRawSync } from 'node:zlib';
import type { PackedFile } from './tar.ts';

const version = 20;
const unix = 3;
const regularFile = 0o100000;

/** A ZIP archive whose bytes depend on names, modes, contents and the time alone. */
export function writeZip(files: readonly PackedFile[], time: Date, level: number): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, mode, content } of files) {
    const data = deflateRawSync(content, { level });
    const common = commonFields({ time, crc: crc32(content), compressed: data.length, size: content.length, name });
    const local = Buffer.concat([numbers([0x04034b50, 4], [version, 2]), common, numbers([0, 2]), Buffer.from(name)]);
    directory.push(
      numbers([0x02014b50, 4], [(unix << 8) | version, 2], [version, 2]),
      common,
      // Extra field, comment, disk, internal attributes; then type and mode, and where the local header is.
      numbers([0, 2], [0, 2], [0, 2], [0, 2], [((regularFile | mode) << 16) >>> 0, 4], [offset, 4]),
      Buffer.from(name),
    );
    parts.push(local, data);
    offset += local.length + data.length;
  }
  const central = Buffer.concat(directory);
  const count = files.length;
  const end = numbers(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [count, 2],
    [count, 2],
    [central.length, 4],
    [offset, 4],
    [0, 2],
  );
  return Buffer.concat([...parts, central, end]);
}

interface Common {
  readonly time: Date;
  readonly crc: number;
  readonly compressed: number;
  readonly size: number;
  readonly name: string;
}

/** Flags, method, time, checksum, sizes and the length of the name: the same in both headers. */
function commonFields({ time, crc, compressed, size, name }: Common): Buffer {
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  const date = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  return numbers([0, 2], [8, 2], [clock, 2], [date, 2], [crc, 4], [compressed, 4], [size, 4], [name.length, 2]);
}

/** Little-endian numbers of 2 or 4 bytes. */
function numbers(...values: readonly (readonly [value: number, bytes: 2 | 4])[]): Buffer {
  return Buffer.concat(
    values.map(([value, bytes]) => {
      const buffer = Buffer.alloc(bytes);
      buffer.writeUIntLE(value, 0, bytes);
      return buffer;
    }),
  );
}
