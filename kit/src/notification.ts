import { Default, NamedObject, Nullable, type Sent, Type } from './schema.ts';
import { Line, NullableLine, NullableText } from './text.ts';

export const Severity = Type.Enum(['info', 'success', 'warning', 'error']);

/** One slash first: `//host`, `/\host` and schemes lead to other sites, and browsers drop tabs and line breaks. */
const path = '^/(?![/\\\\])[^\\s\\\\\\p{Cc}\\p{Cs}]*$';

/** A notification for users. `{{customer_name}}` in title and body is the name of its customer; it has no other personal data. */
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
  /** The permission that recipients need. Others never get it and do not see it in their preferences. */
  readonly needs?: string;
  /** It is on by default only for members with this permission; others can switch it on. */
  readonly defaultFor?: string;
  /**
   * How several within a day become one notification. At most one is sent in a second, so send these in `afterCommit`
   * listeners: transactions that send one wait for each other.
   */
  readonly several?: {
    /** With the number: `{count} new orders`. */
    readonly title: string;
    /** The page that lists them. */
    readonly action_url: string;
  };
}

/** The customer whom the notification names, and with whom it is erased. */
export interface AboutCustomer {
  readonly customer_id?: string | null;
}

/** A user, several users, or all members of the tenant. Only those with the permission that the type needs get it. */
export type Recipients = number | readonly number[] | 'members';
