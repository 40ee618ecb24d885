import {
  Email,
  Line,
  NamedObject,
  Nullable,
  type Static,
  Timestamp,
  Type,
  type Upload,
  UploadedFile,
  Uuid,
} from '@chowk/kit';

export const WidgetConfig = NamedObject('WidgetConfig', {
  name: Type.String({ description: 'The name of the organization.', examples: ['Acme Stores'] }),
  color: Type.String({ examples: ['#1d4ed8'] }),
  position: Type.Enum(['right', 'left']),
  greeting: Type.String(),
  opening_hours: Type.String(),
  is_open: Type.Boolean({ description: 'Whether the team is there now, by the opening hours of the conversations.' }),
  ask_for_email: Type.Boolean(),
  realtime_key: Type.String({ description: 'The key of the app, for Pusher clients.' }),
});
export type WidgetConfig = Static<typeof WidgetConfig>;

const token = Type.String({ minLength: 1, maxLength: 100, description: 'The token of the session.' });

export const NewSession = NamedObject('NewWidgetSession', {
  identity: Type.Optional(
    Type.String({
      maxLength: 4_000,
      description: 'A token of the server of the shop that proves who the visitor is: a JWT, signed with HS256.',
    }),
  ),
  email: Type.Optional(Email),
});
export type NewSession = Static<typeof NewSession>;

export const WidgetSession = NamedObject('WidgetSession', {
  token: Type.String({ description: 'Not shown again.' }),
  channel: Type.String({ description: 'The realtime channel whose events say that there is something new.' }),
  expires_at: Timestamp,
});
export type WidgetSession = Static<typeof WidgetSession>;

export const SentMessage = Type.Object({
  token,
  id: Type.String({
    format: 'uuid',
    description: 'Chosen by the sender. A message with a known id is not added again.',
  }),
  body: Type.Optional(Type.String({ maxLength: 4_000, pattern: '^[^\\0\\p{Cs}]*$' })),
  email: Type.Optional(Email),
  file: Type.Optional(
    UploadedFile({ types: ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'], maxBytes: 10_000_000 }),
  ),
});
export type SentMessage = Omit<Static<typeof SentMessage>, 'file'> & { readonly file?: Upload };
export const MessageAdded = NamedObject('WidgetMessageAdded', { id: Uuid });

export const UpdateQuery = Type.Object({
  token,
  after: Type.Optional({ ...Uuid, description: 'Only messages after this one.' }),
});
export type UpdateQuery = Static<typeof UpdateQuery>;

const WidgetMessage = NamedObject('WidgetMessage', {
  id: Uuid,
  direction: Type.Enum(['inbound', 'outbound'], {
    graphqlType: 'WidgetMessageDirection',
    description: 'From the visitor, or from the team.',
  }),
  body: Type.String(),
  author: Nullable(Type.String({ description: 'The first name of the member of the team.' })),
  sent_at: Timestamp,
  attachments: Type.Array(
    NamedObject('WidgetAttachment', {
      file_name: Type.String(),
      size: Type.Integer({ description: 'In bytes.' }),
      url: Nullable(Type.String({ description: 'A download for a day.' })),
    }),
  ),
});
export const Updates = Type.Object({
  messages: Type.Array(WidgetMessage, { description: 'The oldest first, at most the latest 100.' }),
});
export type Updates = Static<typeof Updates>;

export const SeenMessage = Type.Object({
  token,
  message_id: { ...Uuid, description: 'The last message that the visitor has seen.' },
});
export type SeenMessage = Static<typeof SeenMessage>;
export const SessionKey = Type.Object({ token });
export type SessionKey = Static<typeof SessionKey>;

export const WidgetSetup = NamedObject('WidgetSetup', {
  script_url: Type.String({ examples: ['https://acme.example.com/widget.js'] }),
  secret_created_at: {
    ...Nullable(Timestamp),
    description: 'When the secret for identity tokens was created; null if there is none.',
  },
});
export type WidgetSetup = Static<typeof WidgetSetup>;
export const NewIdentitySecret = NamedObject('NewWidgetIdentitySecret', {
  secret: Line(100, { description: 'Not shown again. Signs identity tokens.' }),
});
