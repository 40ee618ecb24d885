import { randomUUID } from 'node:crypto';
import { receiveMessage } from '../../modules/conversations/receive.ts';
import type { Received, ReceivedMessage } from '../../modules/conversations/schemas.ts';
import type { TestTenant } from './platform.ts';

export const newAddress = (): string => `${randomUUID()}@example.com`;

/** Adds a message as a channel does: without other fields, a mail of a new customer. */
export function receive(tenant: TestTenant, fields: Partial<Received> = {}): Promise<ReceivedMessage> {
  const { contact = newAddress() } = fields;
  const message: Received = {
    channel: 'email',
    external_id: `email:${randomUUID()}`,
    customer: contact === null ? {} : { email: contact },
    contact,
    subject: 'Where is my tea?',
    body: 'Hello',
    ...fields,
  };
  return tenant.context('conversations').tx((tx) => receiveMessage(tx, message));
}
