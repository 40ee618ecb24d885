import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createTransport, type SendMailOptions } from 'nodemailer';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../server/src/smtp/receiver.ts';
import { startAccounts } from '../../server/testing/accounts.ts';
import { eventually } from '../../server/testing/eventually.ts';

/** The mail server of the customers. */
const delivered: Email[] = [];
const customers = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  async onData(stream, _session, done) {
    delivered.push(await PostalMime.parse(Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>))));
    done();
  },
});
customers.listen(0, '127.0.0.1');
await once(customers.server, 'listening');
afterAll(() => new Promise<void>((closed) => customers.close(closed)));

const platform = await startAccounts({
  environment: {
    MAIL_URL: `smtp://127.0.0.1:${(customers.server.address() as AddressInfo).port}`,
    INBOUND_SMTP_PORT: '0',
    INBOUND_MAIL_DOMAIN: 'in.example.com',
  },
});
const receiver = (await startReceiver(platform.kernel)) as Receiver;
afterAll(async () => {
  client.close();
  await receiver.close();
});
const client = createTransport({ host: '127.0.0.1', port: receiver.port, pool: true, ignoreTLS: true });
const tenant = await platform.tenant({ name: 'Chai & Co' });
const owner = await platform.person({ tenant });
const url = '/api/v1/conversations';
const inbox = `${tenant.id}@in.example.com`;

const send = (mail: SendMailOptions) => client.sendMail({ to: inbox, ...mail });
const show = async (id: string) => (await owner.get(`${url}/${id}`)).body.conversation;
const findBySubject = (subject: string) =>
  eventually(async () => {
    const { conversations } = (await owner.get(`${url}?per_page=100`)).body;
    const found = conversations.find((one: { subject: string }) => one.subject === subject);
    expect(found).toBeDefined();
    return show(found.id);
  });

describe('a mail of a customer', () => {
  test('begins a conversation, is answered in its thread, and so is the answer to that', async () => {
    const from = `${randomUUID()}@example.com`;
    const { messageId } = await send({ from: `Asha Rao <${from}>`, subject: 'Where is my tea?', text: 'Hello' });
    const conversation = await findBySubject('Where is my tea?');
    expect(conversation).toMatchObject({
      channel: 'email',
      customer: { email: from, first_name: 'Asha', last_name: 'Rao' },
      messages: [{ direction: 'inbound', body: 'Hello', sender: null, is_automatic: false }],
    });

    let answered = messageId;
    for (const round of [1, 2]) {
      await owner.post(`${url}/${conversation.id}/messages`, { body: `It left us on Tuesday (${round}).` });
      const letter = await eventually(() => {
        const found = delivered.find(({ text }) => text?.includes(`(${round})`));
        expect(found).toBeDefined();
        return found as Email;
      });
      expect(letter).toMatchObject({ subject: 'Re: Where is my tea?', inReplyTo: answered });
      expect(letter.references?.split(/\s+/)).toContain(answered);
      const [replyTo] = letter.replyTo ?? [];
      expect(replyTo?.address).toMatch(/^reply\+[0-9a-v]{26}\.[0-9a-v]{13}\.t\w+@in\.example\.com$/);

      const answer = await send({
        from,
        to: replyTo?.address as string,
        subject: letter.subject as string,
        text: `Thank you (${round}).\n\nOn Tue, 17 Nov 2026 at 10:00, Chai & Co wrote:\n> ${letter.text}`,
      });
      answered = answer.messageId;
      await eventually(async () => {
        const { messages } = await show(conversation.id);
        expect(messages[0]).toMatchObject({ direction: 'inbound', body: `Thank you (${round}).` });
        expect(messages[0].quoted).toContain('> It left us on Tuesday');
      });
    }
    expect(await show(conversation.id)).toMatchObject({ message_count: 5, status: 'open' });
  });
});
