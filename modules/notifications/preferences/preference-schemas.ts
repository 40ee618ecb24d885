import { NamedObject, NewNotification, Nullable, type Static, Type } from '@chowk/kit';

const EmailChoice = Type.Enum(['off', 'immediate', 'digest'], {
  description: '`digest`: in one mail a day, with all that are unread.',
});
const { type } = NewNotification.properties;

const channels = {
  in_app: Type.Boolean({ description: 'Whether it is stored and sent to open consoles.' }),
  push: Type.Boolean({ description: 'Whether it is sent to registered devices.' }),
  email: EmailChoice,
};
export const Channels = NamedObject('NotificationChannels', channels);
export type Channels = Static<typeof Channels>;

const ChannelChanges = {
  in_app: Type.Optional(Nullable(Type.Boolean())),
  push: Type.Optional(Nullable(Type.Boolean())),
  email: Type.Optional(Nullable(EmailChoice)),
};

const Clock = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', examples: ['22:00'] });
const QuietHours = NamedObject(
  'QuietHours',
  { from: Clock, to: Clock },
  { description: 'Across midnight if `to` is before `from`. Push messages are dropped, and mails wait for the end.' },
);
const DigestHour = Type.Integer({ minimum: 0, maximum: 23, description: 'The hour of the daily mail.' });

export const Preferences = NamedObject('NotificationPreferences', {
  defaults: Channels,
  types: Type.Array(
    NamedObject('NotificationTypePreferences', {
      type: Type.String(),
      module: Nullable(Type.String({ description: 'The module that declares it.' })),
      description: Nullable(Type.String()),
      critical: Type.Boolean({ description: 'Always sent at once, over all channels.' }),
      ...channels,
    }),
  ),
  quiet_hours: Nullable(QuietHours),
  time_zone: Type.String({
    description: 'For the quiet hours and the digest. Default: that of your profile, else of the tenant.',
  }),
  digest_hour: DigestHour,
});
export type Preferences = Static<typeof Preferences>;

export const PreferenceChanges = NamedObject('NotificationPreferenceChanges', {
  defaults: Type.Optional(
    Type.Object(ChannelChanges, {
      description: 'The channels of types that have no entry in `types`. `null` restores a default.',
    }),
  ),
  types: Type.Optional(
    Type.Array(Type.Object({ type, ...ChannelChanges }), {
      maxItems: 200,
      description: '`null` restores the value of `defaults`. Other types do not change.',
    }),
  ),
  quiet_hours: Type.Optional(Nullable(QuietHours)),
  time_zone: Type.Optional(
    Nullable(Type.String({ format: 'time-zone', description: 'An IANA time zone. `null` restores the default.' })),
  ),
  digest_hour: Type.Optional(DigestHour),
});
export type PreferenceChanges = Static<typeof PreferenceChanges>;
