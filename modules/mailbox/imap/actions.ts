import { action } from '@chowk/kit';
import { checkMailbox, deleteMailbox, getMailbox, saveMailbox } from './mailbox.ts';
import { ImapInput, ImapMailbox, ImapTest } from './schemas.ts';
import { testMailbox } from './test-connection.ts';

const needs = 'settings.api_clients';

export const imapActions = {
  'mailbox.getImap': action({
    summary: 'Get the mailbox from which mails are fetched',
    description: 'Without its password, with what went wrong at the last fetch.',
    http: 'GET /mailbox/imap',
    graphql: 'imapMailbox',
    needs,
    output: ImapMailbox,
    answer: { key: 'imap' },
    errors: ['mailbox.imap_not_found'],
    run: getMailbox,
  }),
  'mailbox.saveImap': action({
    summary: 'Set the mailbox from which mails are fetched',
    description:
      'Its mails become messages of conversations, and replies have its address as Reply-To. Mails stay in the mailbox. With ' +
      'another folder or account, `import_days` counts again; no mail is added twice.',
    http: 'PUT /mailbox/imap',
    graphql: 'saveImapMailbox',
    needs,
    sendsRequests: true,
    input: ImapInput,
    output: ImapMailbox,
    answer: { key: 'imap', message: 'Mailbox saved.' },
    check: checkMailbox,
    run: saveMailbox,
  }),
  'mailbox.testImap': action({
    summary: 'Test a mailbox',
    description: 'Connects, signs in and opens the folder; nothing is saved. Says which field is probably wrong.',
    http: 'POST /mailbox/imap/test',
    graphql: 'testImapMailbox',
    needs,
    limit: { perMinute: 10, by: 'network' },
    sendsRequests: true,
    input: ImapInput,
    output: ImapTest,
    check: checkMailbox,
    run: testMailbox,
  }),
  'mailbox.deleteImap': action({
    summary: 'Delete the mailbox from which mails are fetched',
    description: 'Messages of conversations and mails in the mailbox stay.',
    http: 'DELETE /mailbox/imap',
    graphql: 'deleteImapMailbox',
    needs,
    answer: { message: 'Mailbox deleted.' },
    errors: ['mailbox.imap_not_found'],
    run: deleteMailbox,
  }),
};
