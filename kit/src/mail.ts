import type { Db } from './database.ts';

/** The content of a mail, which the platform lays out as text and as HTML. */
export interface Mail {
  /** The name of the sender. Default: that of `MAIL_FROM`. */
  readonly fromName?: string;
  readonly to: string;
  readonly subject: string;
  /** Without angle brackets. Default: a new one. */
  readonly messageId?: string;
  /** The sender that the mail shows: the tenant's name, or the platform's. */
  readonly organization: string;
  /** The name for the greeting, which may be empty. Without it there is no greeting. */
  readonly recipient?: string;
  readonly paragraphs: readonly string[];
  readonly button?: { readonly label: string; readonly url: string };
  /** When the link expires, as a sentence. */
  readonly expiry?: string;
  /** Instructions for a recipient who did not expect the mail. */
  readonly warning?: string;
  /** Where answers go. Default: the sender. */
  readonly replyTo?: string;
  /** Where mail servers report that it was not delivered. Default: the sender. */
  readonly returnPath?: string;
  /** Unsubscribes with a POST request (RFC 8058); a browser gets a page. */
  readonly unsubscribeUrl?: string;
}

/** A message of a person to a customer, sent as it was written, without the layout of the platform. */
export interface Letter {
  readonly fromName: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly attachments?: readonly MailAttachment[];
  /** Where answers go. Default: the sender. */
  readonly replyTo?: string;
  /** Where mail servers report that it was not delivered. Default: the sender. */
  readonly returnPath?: string;
  /** Ids of messages, without angle brackets. */
  readonly messageId: string;
  readonly inReplyTo?: string;
  readonly references?: readonly string[];
  /** An automatic answer, to which other programs do not answer (RFC 3834). */
  readonly isAutomatic?: boolean;
}

export interface MailAttachment {
  readonly fileName: string;
  readonly type: string;
  readonly content: Uint8Array;
}

/** `retry`: the mail server could not be reached or asks to try later. Reasons do not contain the recipient's address. */
export type MailOutcome =
  | { readonly status: 'sent' }
  | { readonly status: 'failed' | 'retry'; readonly reason: string };

export interface StoredMail {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly at: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mails {
  /**
   * Queues the mail. Sending is retried for hours. With a transaction on the central database, the mail is queued when it
   * commits.
   */
  send(mail: Mail, tx?: Db): Promise<void>;
  /** Sends the mail now, once. If the process ends meanwhile, it is unknown whether the mail was sent. */
  deliver(mail: Mail | Letter): Promise<MailOutcome>;
  /** Mails that were stored instead of sent, newest first; empty if `MAIL_URL` is set. */
  listStored(): Promise<readonly StoredMail[]>;
}

/** A mail that came in. All texts are those of the sender. */
export interface ReadMail {
  /** False if the mail is too large or too deeply nested to be read: then only its headers are here. */
  readonly isComplete: boolean;
  /** In order, with lower-case names. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly from: { readonly name: string; readonly address: string } | null;
  readonly subject: string;
  /** The plain text, or that of the HTML. */
  readonly text: string;
  /**
   * Without scripts, styles and forms. Remote pictures have `data-remote-src` instead of `src`, those of the mail `data-content-id`.
   * Null if there is none.
   */
  readonly html: string | null;
  readonly attachments: readonly (MailAttachment & {
    /** Null if the sender gave none. */
    readonly contentId: string | null;
  })[];
  /** How many attachments were left out. */
  readonly omittedCount: number;
}
