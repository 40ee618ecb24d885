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

interface Envelope {
  /** Empty for automatic messages. */
  readonly sender: string;
  readonly recipients: readonly Recipient[];
}

/**
 * Stores a mail as a file of each tenant, with the job that reads it. Once this resolves, the mail is not lost. One that is too
 * large is read to its end and dropped: the server refuses it.
 */
export async function acceptMail(kernel: Kernel, content: Readable, envelope: Envelope): Promise<void> {
  const folder = join(kernel.config.storagePath, 'uploads');
  const received = await receiveContent(content, folder, maxMailBytes);
  try {
    if (received.size > maxMailBytes) return;
    for (const recipient of envelope.recipients) await storeMail(kernel, received, envelope.sender, recipient);
  } finally {
    await received.handle.close();
  }
}

async function storeMail(kernel: Kernel, content: ReceivedContent, sender: string, recipient: Recipient) {
  const { tenant, address } = recipient;
  const writtenFiles = new FileChanges();
  const ctx = new Context(kernel, { requestId: newId(), module: 'mailbox', tenant, system: true, writtenFiles });
  await kernel.files.settleAfter(writtenFiles, async () => {
    const written = await ctx.files.write(withEnvelope(content, sender, address));
    await ctx.tx(async (tx) => {
      const { id } = await tx.files.keep(written);
      await tx.jobs.add('mailbox.receive', { file_id: id });
    });
  });
}

/** The mail with the headers of its delivery (RFC 5321, section 4.4): the data of a job must not contain addresses. */
function withEnvelope({ handle, size }: ReceivedContent, sender: string, recipient: string): Upload {
  const headers = Buffer.from(`Return-Path: <${sender}>\r\nDelivered-To: ${recipient}\r\n`);
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
