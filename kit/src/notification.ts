import { Default, NamedObject, Nullable, type Sent, Type } from './schema.ts';
import { Line, NullableLine, NullableText } from './text.ts';

export const Severity = Type.Enum(['info', 'success', 'warning', 'error']);

/** One slash first: `//host`, `/\host` and schemes lead to other sites, and browsers drop tabs and line breaks. */
const path = '^/(?![/\\\\])[^\\s\\\\\\p{Cc}\\p{Cs}]*$';

/** A notification for users. It must not contain personal data of customers: refer to records by their ids. */
export const NewNotification = NamedObject('NewNotification', {
  type: Line(100, {
    pattern: '^[a-zA-Z][\\w-]*(\\.[\\w-]+)*$',
    description: 'A category and an action.',
    examples: ['order.created'],
  }),
  title: Line(255),
  body: Default(NullableText(10_000), null),
  icon: Default(NullableLine(50, { description: 'The name of an icon.', examples: ['ShoppingCart'] }), null),
  severity: Default(Severity, 'info'),
  action_url: Default(
    NullableLine(2_000, { pattern: path, description: 'A path of the console.', examples: ['/orders/42'] }),
    null,
  ),
  action_label: Default(NullableLine(100), null),
  data: Default(Nullable(Type.Record(Type.String(), Type.Unknown())), null),
  group_key: Default(
    NullableLine(100, {
      description: 'While the user has an unread notification of the same module and key, it is repeated instead.',
    }),
    null,
  ),
  module: Default(NullableLine(50, { description: 'The module that sends it.' }), null),
});
export type NewNotification = Readonly<Sent<typeof NewNotification>>;

/** A type of notifications that a module sends, for the preferences of users. */
export interface NotificationType {
  /** Shown in the preferences of users: `A conversation was assigned to you`. */
  readonly description: string;
  /** Always sent at once, over all channels: preferences and quiet hours do not apply. */
  readonly critical?: true;
}

/** A user, several users, or all members of the tenant. */
export type Recipients = number | readonly number[] | 'members';
