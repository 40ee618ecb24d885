import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Upload } from '@chowk/kit/kernel';
import { Context } from '../context/context.ts';
import { FileChanges } from '../files/file-store.ts';
import { type ReceivedContent, receiveContent } from '../files/received-file.ts';
import { newId } from '../ids.ts';
import type { Kernel } from '../kernel.ts';
import type { Recipient } from './recipient.ts';

/** The largest mail. */
export const maxMailBytes = 25 * 1_024 * 1_024;
/** A mail of this size is not a file: most are smaller. */
const maxInlineBytes = 64 * 1_024;

interface Envelope {
  /** Empty for automatic messages. */
  readonly sender: string;
  readonly recipients: readonly Recipient[];
}

/**
 * Stores a mail in the database of each tenant, with the job that reads it. Once this resolves, the mail is not lost. One that is too
 * large is read to its end and dropped: the server refuses it.
 */
export async function acceptMail(kernel: Kernel, stream: Readable, { sender, recipients }: Envelope): Promise<void> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const { head, isComplete } = await readHead(chunks);
  if (isComplete) {
    for (const recipient of recipients) {
      const content = Buffer.concat([deliveryHeaders(sender, recipient), ...head]);
      await contextFor(kernel, recipient).bus.call('mailbox.accept', { content, file_id: null });
    }
    return;
  }
  const all = Readable.from(allChunks(head, chunks), { objectMode: false });
  const received = await receiveContent(all, join(kernel.config.storagePath, 'uploads'), maxMailBytes);
  try {
    if (received.size > maxMailBytes) return;
    for (const recipient of recipients) {
      const headers = deliveryHeaders(sender, recipient);
      await storeFile(kernel, recipient, asUpload(received, headers));
    }
  } finally {
    await received.handle.close();
  }
}

/** What of the mail fits into memory. */
async function readHead(chunks: AsyncIterator<Buffer>): Promise<{ head: Buffer[]; isComplete: boolean }> {
  const head: Buffer[] = [];
  for (let size = 0; size <= maxInlineBytes; ) {
    const { value, done } = await chunks.next();
    if (done) return { head, isComplete: true };
    head.push(value);
    size += value.length;
  }
  return { head, isComplete: false };
}

async function* allChunks(head: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* head;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

function contextFor(kernel: Kernel, { tenant }: Recipient, writtenFiles?: FileChanges): Context {
  return new Context(kernel, { requestId: newId(), module: 'mailbox', tenant, system: true, writtenFiles });
}

async function storeFile(kernel: Kernel, recipient: Recipient, mail: Upload): Promise<void> {
  const files = new FileChanges();
  const ctx = contextFor(kernel, recipient, files);
  await kernel.files.settleAfter(files, async () => {
    const written = await ctx.files.write(mail);
    await ctx.tx(async (tx) => {
      const { id } = await tx.files.keep(written);
      await tx.bus.call('mailbox.accept', { content: null, file_id: id });
    });
  });
}

/** The envelope as headers (RFC 5321, section 4.4). */
function deliveryHeaders(sender: string, { address }: Recipient): Buffer {
  return Buffer.from(`Return-Path: <${sender}>\r\nDelivered-To: ${address}\r\n`);
}

function asUpload({ handle, size }: ReceivedContent, headers: Buffer): Upload {
  async function* chunks() {
    yield headers;
    yield* handle.createReadStream({ start: 0, autoClose: false });
  }
  return {
    field: 'mail',
    fileName: 'mail.eml',
    type: 'message/rfc822',
    size: headers.length + size,
    stream: () => Readable.from(chunks(), { objectMode: false }),
  };
}
