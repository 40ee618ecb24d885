import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Db, type Job, type Mail, type Secrets, type StoredMail, systemJob, Type } from '@chowk/kit/kernel';
import type { Transporter } from 'nodemailer';
import type { Config } from '../config/config.ts';
import { newId } from '../ids.ts';
import { type LaidOutMail, layoutMail } from './mail-layout.ts';

const purpose = 'mail';
const mailJob = 'kernel.mail';
const maxListed = 200;

interface MailerOptions {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly now: () => Date;
  add(job: string, data: unknown, tx?: Db): Promise<void>;
}

interface Transport {
  deliver(mail: LaidOutMail): Promise<void>;
  close(): void;
}

/** Sends mails in the background. Queued mails are encrypted, because their links give access to accounts. */
export class Mailer {
  readonly #options: MailerOptions;
  readonly #transport: Transport;

  constructor(options: MailerOptions) {
    this.#options = options;
    const { mailUrl, mailFrom } = options.config;
    this.#transport = mailUrl === undefined ? new MailFolder(options) : createSmtpTransport(mailUrl, mailFrom);
  }

  readonly jobs: Readonly<Record<string, Job>> = {
    [mailJob]: systemJob({
      data: Type.Object({ sealed: Type.String() }),
      queue: 'mail',
      retries: [10, 60, 300, 1_800, 7_200, 21_600],
      run: async (_, { sealed }) => {
        await this.#transport.deliver(JSON.parse(this.#options.secrets.open(purpose, sealed)) as LaidOutMail);
      },
    }),
  };

  /** Queues a mail; with a transaction on the central database, when it commits. */
  async send(mail: Mail, tx?: Db): Promise<void> {
    const { job, data } = this.createTask(mail);
    await this.#options.add(job, data, tx);
  }

  /** The job that sends the mail, and its data. */
  createTask(mail: Mail): { readonly job: string; readonly data: { readonly sealed: string } } {
    return { job: mailJob, data: { sealed: this.#options.secrets.seal(purpose, JSON.stringify(layoutMail(mail))) } };
  }

  async listStored(): Promise<readonly StoredMail[]> {
    return this.#transport instanceof MailFolder ? this.#transport.list() : [];
  }

  close(): void {
    this.#transport.close();
  }
}

function createSmtpTransport(url: string, from: string): Transport {
  // The default of ten minutes would block a worker.
  const timeouts = { connectionTimeout: 15_000, greetingTimeout: 15_000, socketTimeout: 60_000 };
  // Suppresses automatic replies (RFC 3834).
  const headers = { 'Auto-Submitted': 'auto-generated' };
  let opening: Promise<Transporter> | undefined;
  // Loaded with the first mail: most commands send none and start faster.
  const open = async (): Promise<Transporter> => {
    const { createTransport } = await import('nodemailer');
    return createTransport({ url, pool: true, maxConnections: 4, ...timeouts }, { from });
  };
  return {
    async deliver({ fromName, to, subject, text, html, unsubscribeUrl }) {
      opening ??= open();
      // Objects, because a string would be parsed as a list of addresses.
      const sender = fromName === undefined ? {} : { from: { name: fromName, address: addressIn(from) } };
      const list = unsubscribeUrl === undefined ? {} : listHeaders(unsubscribeUrl);
      const message = {
        ...sender,
        to: { name: '', address: to },
        subject,
        text,
        html,
        headers: { ...headers, ...list },
      };
      await (await opening).sendMail(message);
    },
    close: () => void opening?.then((transport) => transport.close()),
  };
}

/** One click in the mail program unsubscribes (RFC 8058). */
function listHeaders(url: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

/** The address in `shop@example.com` or `Shop <shop@example.com>`. */
function addressIn(mailbox: string): string {
  return mailbox.replace(/^.*<|>$/g, '');
}

/** Keeps mails as files when no mail server is configured. */
class MailFolder implements Transport {
  readonly #folder: string;
  readonly #from: string;
  readonly #now: () => Date;

  constructor({ config, now }: MailerOptions) {
    this.#folder = join(config.storagePath, 'mail');
    this.#from = config.mailFrom;
    this.#now = now;
  }

  async deliver(mail: LaidOutMail): Promise<void> {
    const { fromName, ...content } = mail;
    const from = fromName === undefined ? this.#from : `${fromName} <${addressIn(this.#from)}>`;
    const stored: StoredMail = { id: newId(), at: this.#now().toISOString(), from, ...content };
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = join(this.#folder, `${stored.id}.json`);
    await writeFile(`${file}.part`, JSON.stringify(stored, null, 2), { mode: 0o600 });
    await rename(`${file}.part`, file);
  }

  async list(): Promise<StoredMail[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const newest = names
      .filter((name) => name.endsWith('.json'))
      .sort()
      .reverse()
      .slice(0, maxListed);
    return Promise.all(
      newest.map(async (name) => JSON.parse(await readFile(join(this.#folder, name), 'utf8')) as StoredMail),
    );
  }

  close(): void {}
}
