import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Db,
  type Job,
  type Letter,
  type Mail,
  type MailOutcome,
  type Secrets,
  type StoredMail,
  systemJob,
  Type,
} from '@chowk/kit/kernel';
import type { SendMailOptions, Transporter } from 'nodemailer';
import type { Config } from '../config/config.ts';
import { newId } from '../ids.ts';
import { type LaidOutMail, layoutMail } from './mail-layout.ts';
import { describeFailure } from './mail-outcome.ts';

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
  deliver(mail: LaidOutMail | Letter): Promise<void>;
  /** Throws if the server cannot be reached or refuses the user. */
  verify(): Promise<unknown>;
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

  async deliver(mail: Mail | Letter): Promise<MailOutcome> {
    try {
      await this.#transport.deliver('text' in mail ? mail : layoutMail(mail));
      return { status: 'sent' };
    } catch (error) {
      return describeFailure(error, mail.to);
    }
  }

  /** Why the mail server does not accept mails; `undefined` if it does. Sends none. */
  async findProblem(): Promise<string | undefined> {
    return this.#transport.verify().then(
      () => undefined,
      ({ message }: Error) => message,
    );
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
  let opening: Promise<Transporter> | undefined;
  // Loaded with the first mail: most commands send none and start faster.
  const open = async (): Promise<Transporter> => {
    const { createTransport } = await import('nodemailer');
    return createTransport({ url, pool: true, maxConnections: 4, ...timeouts }, { from });
  };
  return {
    async deliver(mail) {
      opening ??= open();
      const { fromName, to, subject, text, messageId, replyTo, returnPath } = mail;
      // Objects, because a string would be parsed as a list of addresses.
      const recipient = { name: '', address: to };
      await (await opening).sendMail({
        ...(fromName !== undefined && { from: { name: fromName, address: addressIn(from) } }),
        ...(messageId !== undefined && { messageId: `<${messageId}>` }),
        ...(replyTo !== undefined && { replyTo: { name: fromName ?? '', address: replyTo } }),
        ...(returnPath !== undefined && { envelope: { from: returnPath, to: recipient } }),
        to: recipient,
        subject,
        text,
        ...('html' in mail ? layoutFields(mail) : letterFields(mail)),
      });
    },
    async verify() {
      opening ??= open();
      return (await opening).verify();
    },
    close: () => void opening?.then((transport) => transport.close()),
  };
}

function layoutFields({ html, unsubscribeUrl }: LaidOutMail): SendMailOptions {
  // Suppresses automatic replies (RFC 3834).
  const headers = { 'Auto-Submitted': 'auto-generated' };
  return { html, headers: unsubscribeUrl === undefined ? headers : { ...headers, ...listHeaders(unsubscribeUrl) } };
}

function letterFields(letter: Letter): SendMailOptions {
  const { attachments = [], inReplyTo, references = [], isAutomatic } = letter;
  return {
    ...(inReplyTo !== undefined && { inReplyTo: `<${inReplyTo}>` }),
    ...(references.length > 0 && { references: references.map((id) => `<${id}>`) }),
    ...(isAutomatic && { headers: { 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All' } }),
    attachments: attachments.map(({ fileName, type, content }) => ({
      filename: fileName,
      contentType: type,
      content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
    })),
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

  async deliver(mail: LaidOutMail | Letter): Promise<void> {
    const { fromName, to, subject, text } = mail;
    const from = fromName === undefined ? this.#from : `${fromName} <${addressIn(this.#from)}>`;
    const html =
      'html' in mail
        ? mail.html
        : layoutMail({ ...mail, organization: fromName ?? '', paragraphs: text.split(/\n+/) }).html;
    const stored: StoredMail = { id: newId(), at: this.#now().toISOString(), from, to, subject, text, html };
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

  async verify(): Promise<void> {}

  close(): void {}
}
