import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import type { Kernel } from '../kernel.ts';
import { networkPrefix } from '../network.ts';
import { acceptMail } from './accept-mail.ts';
import { findRecipient, type Recipient } from './recipient.ts';

const maxConnectionsPerNetwork = 30;
const maxUnknownPerMinute = 30;
const maxMailsPerMinute = 10_000;
/** A client that sends a byte now and then must not hold a connection for ever. */
const maxSessionMs = 600_000;

interface State {
  readonly network: string;
  readonly deadline: NodeJS.Timeout;
  recipients: Recipient[];
  isReceiving: boolean;
}

/** A refusal with a code of SMTP. */
export class Refusal extends Error {
  readonly responseCode: number;

  constructor(responseCode: number, message: string) {
    super(message);
    this.responseCode = responseCode;
  }
}

/** The open connections and what they have sent. */
export class Sessions {
  readonly #kernel: Kernel;
  readonly #close: (id: string) => void;
  readonly #open = new Map<string, State>();

  constructor(kernel: Kernel, close: (id: string) => void) {
    this.#kernel = kernel;
    this.#close = close;
  }

  begin({ id, remoteAddress }: SMTPServerSession): void {
    const network = networkPrefix(remoteAddress);
    const others = [...this.#open.values()].filter((session) => session.network === network);
    if (others.length >= maxConnectionsPerNetwork) throw new Refusal(421, 'Too many connections; try again later');
    if (!this.#kernel.limiter.peek(unknownKey(network), maxUnknownPerMinute, Date.now()).allowed) {
      throw new Refusal(421, 'Too many unknown recipients; try again later');
    }
    const deadline = setTimeout(() => this.#close(id), maxSessionMs).unref();
    this.#open.set(id, { network, deadline, recipients: [], isReceiving: false });
  }

  beginMail(session: SMTPServerSession): void {
    this.#state(session).recipients = [];
  }

  async addRecipient(session: SMTPServerSession, address: string): Promise<void> {
    const state = this.#state(session);
    const { limiter } = this.#kernel;
    const recipient = await findRecipient(this.#kernel, address);
    if (!recipient) {
      const { allowed } = limiter.take(unknownKey(state.network), maxUnknownPerMinute, Date.now());
      throw allowed
        ? new Refusal(550, 'There is no such mailbox here')
        : new Refusal(421, 'Too many unknown recipients; try again later');
    }
    const { tenant } = recipient;
    if (tenant.isSuspended) throw new Refusal(450, 'The mailbox is not available now; try again later');
    if (!limiter.take(`smtp tenant ${tenant.id}`, maxMailsPerMinute, Date.now()).allowed) {
      throw new Refusal(452, 'The mailbox gets too many mails; try again later');
    }
    state.recipients.push(recipient);
  }

  async receive(session: SMTPServerSession, content: SMTPServerDataStream): Promise<void> {
    const state = this.#state(session);
    const { mailFrom } = session.envelope;
    state.isReceiving = true;
    try {
      const sender = mailFrom ? mailFrom.address : '';
      const recipients = [...new Map(state.recipients.map((one) => [one.address, one])).values()];
      await acceptMail(this.#kernel, content, { sender, recipients });
    } finally {
      state.isReceiving = false;
    }
  }

  end({ id }: SMTPServerSession): void {
    clearTimeout(this.#open.get(id)?.deadline);
    this.#open.delete(id);
  }

  /** The connections in which no mail is being received. */
  idle(): string[] {
    return [...this.#open].flatMap(([id, { isReceiving }]) => (isReceiving ? [] : [id]));
  }

  #state({ id }: SMTPServerSession): State {
    const state = this.#open.get(id);
    if (!state) throw new Refusal(421, 'The connection is closed');
    return state;
  }
}

function unknownKey(network: string): string {
  return `smtp unknown ${network}`;
}
