import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createTransport, type SendMailOptions } from 'nodemailer';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';

/** The mail server and the mail program of customers. */
export interface CustomerMails {
  /** For `MAIL_URL`. */
  readonly url: string;
  /** Waits for a mail with the text. */
  find(text: string): Promise<Email>;
  /** Sends a mail to a server on this machine. Returns its Message-ID. */
  send(port: number, mail: SendMailOptions): Promise<string>;
  close(): Promise<void>;
}

export async function startCustomerMails(): Promise<CustomerMails> {
  const delivered: Email[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    // Closes at once, also while the platform keeps a connection open. The default waits for half a minute.
    closeTimeout: 100,
    async onData(stream, _session, done) {
      delivered.push(await PostalMime.parse(Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>))));
      done();
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    find: (text) =>
      eventually(() => {
        const found = delivered.find((mail) => mail.text?.includes(text));
        expect(found, `a mail with ${text}`).toBeDefined();
        return found as Email;
      }),
    async send(port, mail) {
      const client = createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
      const { messageId } = await client.sendMail(mail);
      client.close();
      return messageId;
    },
    close: () => new Promise((closed) => server.close(() => closed())),
  };
}
