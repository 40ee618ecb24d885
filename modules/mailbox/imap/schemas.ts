import { Default, Email, Line, NamedObject, Nullable, outputFields, type Static, Timestamp, Type } from '@chowk/kit';

const Security = Type.Enum(['tls', 'starttls', 'none']);

const ImapOptions = Type.Object({
  address: { ...Email, description: 'The address at which the mailbox gets mails. Customers answer to it.' },
  host: Line(255, { examples: ['imap.example.com'] }),
  port: Default(Type.Integer({ minimum: 1, maximum: 65_535 }), 993),
  security: Default(
    {
      ...Security,
      description: '`tls` is usual at port 993, `starttls` at port 143. `none`: only if the operator allows the host.',
    },
    'tls',
  ),
  username: Line(255),
  folder: Default(Line(255), 'INBOX'),
  import_days: Default(
    Type.Integer({
      minimum: 0,
      maximum: 90,
      description: 'Mails of so many days before are fetched too. 0: only those that come from now on.',
    }),
    0,
  ),
  mark_seen: Default(Type.Boolean({ description: 'Marks the mails as read in the mailbox.' }), false),
});

export const ImapInput = NamedObject('ImapMailboxChanges', {
  ...ImapOptions.properties,
  password: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      description:
        'Not shown again. Required for another host, port, security or user name. Some providers call it an app password.',
    }),
  ),
});
export type ImapInput = Static<typeof ImapInput>;

export const ImapMailbox = NamedObject('ImapMailbox', {
  ...outputFields(ImapOptions),
  last_fetched_at: Nullable(Timestamp),
  failing_since: Nullable(Timestamp),
  failure: { ...Nullable(Type.String()), description: 'The reason why mails could not be fetched the last time.' },
  next_fetch_at: Timestamp,
  updated_at: Timestamp,
});
export type ImapMailbox = Static<typeof ImapMailbox>;

export const ImapField = Type.Enum(['host', 'port', 'security', 'password', 'folder']);
export type ImapField = Static<typeof ImapField>;

export const ImapTest = NamedObject('ImapTest', {
  is_working: Type.Boolean(),
  field: { ...Nullable(ImapField), description: 'What is probably wrong.' },
  reason: Nullable(Type.String()),
  folders: Type.Array(Type.String()),
  mail_count: { ...Nullable(Type.Integer()), description: 'How many mails the folder has.' },
});
export type ImapTest = Static<typeof ImapTest>;
