import { action, NamedObject, Nullable, Type } from '@chowk/kit';
import { ownAddress } from './addresses.ts';

const Mailbox = NamedObject('Mailbox', {
  address: {
    ...Nullable(Type.String()),
    description: 'Mails to this address become conversations. Null if the platform receives no mails.',
    examples: ['acme@mail.example.com'],
  },
});

export const actions = {
  'mailbox.show': action({
    summary: 'Get the address that receives mails',
    http: 'GET /mailbox',
    graphql: 'mailbox',
    needs: 'settings.view',
    output: Mailbox,
    answer: { key: 'mailbox' },
    run: async (ctx) => ({ address: ownAddress(ctx) }),
  }),
};
