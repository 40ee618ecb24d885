import { fstatSync, writeSync } from 'node:fs';
import { removeTemporaryFiles } from './temporary-files.ts';

/**
 * The standard output or error of this process. Not `process.stdout`: only creating it takes longer than all else that a short
 * command does.
 */
export function openOutput(fd: 1 | 2) {
  return {
    write: (data: string | Uint8Array) => writeAll(fd, typeof data === 'string' ? Buffer.from(data) : data),
    get isTerminal() {
      return isTerminal(fd);
    },
    get columns() {
      return (fd === 1 ? process.stdout : process.stderr).columns || 80;
    },
  };
}

function writeAll(fd: 1 | 2, data: Uint8Array): void {
  let rest = data;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A socket whose reader left data unread is reset.
      if (code === 'EPIPE' || code === 'ECONNRESET') {
        onBrokenPipe(fd);
        return;
      }
      if (code !== 'EAGAIN') throw error;
      pauseBriefly();
    }
  }
}

/** The reader has gone, as in `chowk customers list | head`. */
function onBrokenPipe(fd: 1 | 2): void {
  if (fd === 2) return;
  removeTemporaryFiles();
  process.exit(0);
}

/** The reader of a pipe that does not block is slow. */
function pauseBriefly(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}

function isTerminal(fd: 1 | 2): boolean {
  try {
    // Loading `node:tty` takes time: most outputs that are no terminals are files or pipes.
    return fstatSync(fd).isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(fd);
  } catch {
    return false;
  }
}
