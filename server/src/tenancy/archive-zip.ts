/** The records of a ZIP file, always with 64-bit sizes (APPNOTE 6.3, ZIP64). */

export interface ZipEntry {
  readonly name: string;
  /** 0: stored, 8: deflated. */
  readonly method: number;
  readonly crc: number;
  readonly size: number;
  readonly compressedSize: number;
  /** The offset of the local header. */
  readonly offset: number;
  /** Unix type and permissions; 0 if the archive was made elsewhere. */
  readonly mode: number;
}

export const signatures = {
  local: 0x04034b50,
  central: 0x02014b50,
  end: 0x06054b50,
  end64: 0x06064b50,
  locator64: 0x07064b50,
};
export const localLength = 30;
export const centralLength = 46;
export const endLength = 22;
export const end64Length = 56;
export const locatorLength = 20;

const version = 45;
const unix = 3;
const utf8Names = 0x0800;
const zip64 = 0x0001;
const max32 = 0xffffffff;
/** 1 January 1980: the manifest has the time. */
const date = 0x21;

export function localHeader({ name, method, crc, size, compressedSize }: ZipEntry): Buffer {
  const fixed = Buffer.alloc(localLength);
  fixed.writeUInt32LE(signatures.local, 0);
  fixed.writeUInt16LE(version, 4);
  writeCommon(fixed, 6, { name, method, crc });
  const extra = sizes64([size, compressedSize]);
  fixed.writeUInt16LE(extra.length, 28);
  return Buffer.concat([fixed, Buffer.from(name), extra]);
}

export function centralHeader({ name, method, crc, size, compressedSize, offset, mode }: ZipEntry): Buffer {
  const fixed = Buffer.alloc(centralLength);
  fixed.writeUInt32LE(signatures.central, 0);
  fixed.writeUInt16LE((unix << 8) | version, 4);
  fixed.writeUInt16LE(version, 6);
  writeCommon(fixed, 8, { name, method, crc });
  const extra = sizes64([size, compressedSize, offset]);
  fixed.writeUInt16LE(extra.length, 30);
  fixed.writeUInt32LE((mode << 16) >>> 0, 38);
  fixed.writeUInt32LE(max32, 42);
  return Buffer.concat([fixed, Buffer.from(name), extra]);
}

/** The records after the central directory. */
export function endRecords(directory: { count: number; size: number; offset: number }): Buffer {
  const { count, size, offset } = directory;
  const end64 = Buffer.alloc(end64Length);
  end64.writeUInt32LE(signatures.end64, 0);
  end64.writeBigUInt64LE(BigInt(end64Length - 12), 4);
  end64.writeUInt16LE((unix << 8) | version, 12);
  end64.writeUInt16LE(version, 14);
  for (const [index, value] of [count, count, size, offset].entries()) {
    end64.writeBigUInt64LE(BigInt(value), 24 + 8 * index);
  }
  const locator = Buffer.alloc(locatorLength);
  locator.writeUInt32LE(signatures.locator64, 0);
  locator.writeBigUInt64LE(BigInt(offset + size), 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.alloc(endLength);
  end.writeUInt32LE(signatures.end, 0);
  end.fill(0xff, 8, 20);
  return Buffer.concat([end64, locator, end]);
}

/** Reads one header of the central directory; `length` is that of the whole record. */
export function readCentralHeader(bytes: Buffer, at: number): { entry: ZipEntry; flags: number; length: number } {
  if (bytes.readUInt32LE(at) !== signatures.central) throw new RangeError('no directory entry');
  const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field));
  const nameEnd = at + centralLength + (nameLength ?? 0);
  const extraEnd = nameEnd + (extraLength ?? 0);
  const end = extraEnd + (commentLength ?? 0);
  if (end > bytes.length) throw new RangeError('the directory entry is truncated');
  const [compressed, size, offset] = [20, 24, 42].map((field) => bytes.readUInt32LE(at + field));
  // In this order, and only those that do not fit into 32 bits.
  const large = readSizes64(bytes.subarray(nameEnd, extraEnd));
  const full = (value = 0) => (value === max32 ? (large.shift() ?? value) : value);
  const [fullSize, fullCompressed, fullOffset] = [full(size), full(compressed), full(offset)];
  return {
    entry: {
      name: bytes.toString('utf8', at + centralLength, nameEnd),
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      size: fullSize,
      compressedSize: fullCompressed,
      offset: fullOffset,
      mode: bytes[at + 5] === unix ? bytes.readUInt16LE(at + 40) : 0,
    },
    flags: bytes.readUInt16LE(at + 8),
    length: end - at,
  };
}

function writeCommon(
  header: Buffer,
  at: number,
  { name, method, crc }: Pick<ZipEntry, 'name' | 'method' | 'crc'>,
): void {
  header.writeUInt16LE(utf8Names, at);
  header.writeUInt16LE(method, at + 2);
  header.writeUInt16LE(date, at + 6);
  header.writeUInt32LE(crc, at + 8);
  // The sizes are in the extra field.
  header.writeUInt32LE(max32, at + 12);
  header.writeUInt32LE(max32, at + 16);
  header.writeUInt16LE(Buffer.byteLength(name), at + 20);
}

function sizes64(values: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(zip64, 0);
  extra.writeUInt16LE(8 * values.length, 2);
  for (const [index, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
  return extra;
}

function readSizes64(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2);
    const data = extra.subarray(at + 4, at + 4 + length);
    if (extra.readUInt16LE(at) === zip64) {
      return Array.from({ length: Math.floor(data.length / 8) }, (_, index) => Number(data.readBigUInt64LE(8 * index)));
    }
    at += 4 + length;
  }
  return [];
}
