import { Line, Money, MoneyInput, NamedObject, Nullable, type Static, Timestamp, Type, Uuid } from '@chowk/kit';

export const providerNames = ['stripe', 'razorpay'] as const;
export type ProviderName = (typeof providerNames)[number];
export const ProviderName = Type.Enum([...providerNames]);
export const ByProvider = Type.Object({ provider: ProviderName });

const Key = (description: string, examples: string[], pattern = '^[!-~]+$') =>
  Type.Optional(Line(255, { pattern, description, examples }));

export const ProviderKeys = NamedObject('PaymentProviderKeys', {
  provider: ProviderName,
  key_id: Key('The key id of Razorpay. Stripe has none.', ['rzp_test_1DP5mmOlF5G5ag'], '^rzp_(test|live)_\\w+$'),
  secret_key: Key(
    'The secret key of Stripe (`sk_…` or a restricted `rk_…`) or the key secret of Razorpay. Not shown again. Required for a new account.',
    ['sk_test_4eC39HqLyjWDarjtT1zdp7dc'],
  ),
  webhook_secret: Key(
    'The secret that signs callbacks. Not shown again. Required for a new account. The one before it is accepted for 24 hours more.',
    ['whsec_5f1c2b'],
  ),
});
export type ProviderKeys = Static<typeof ProviderKeys>;

export const PaymentProviderAccount = NamedObject('PaymentProviderAccount', {
  provider: ProviderName,
  is_configured: Type.Boolean({ description: 'Whether its keys are saved.' }),
  is_chosen: Type.Boolean({ description: 'Whether it creates new payment links: the setting `payments.provider`.' }),
  key_id: Nullable(Type.String()),
  mode: Nullable(Type.Enum(['test', 'live'])),
  callback_url: Type.String({ description: 'The address of the webhook to create at the provider.' }),
  callback_events: Type.Array(Type.String(), { description: 'The events of that webhook.' }),
  updated_at: Nullable(Timestamp),
});
export type PaymentProviderAccount = Static<typeof PaymentProviderAccount>;

export const KeyCheck = NamedObject('PaymentKeyCheck', {
  works: Type.Boolean(),
  reason: Nullable(Type.String({ description: 'What the provider says if the keys do not work.' })),
});
export type KeyCheck = Static<typeof KeyCheck>;

export const LinkStatus = Type.Enum(['creating', 'open', 'processing', 'paid', 'expired', 'cancelled', 'failed']);

export const NewPaymentLink = NamedObject('NewPaymentLink', {
  id: { ...Uuid, description: 'The id of the order.' },
  amount: Type.Optional({ ...MoneyInput, description: 'Default and maximum: the amount due.' }),
});
export type NewPaymentLink = Static<typeof NewPaymentLink>;

export const LinkKey = Type.Object({ id: Uuid, link: Uuid });
export type LinkKey = Static<typeof LinkKey>;

export const PaymentLink = NamedObject('PaymentLink', {
  id: Uuid,
  order_id: Uuid,
  provider: ProviderName,
  amount: Money,
  currency: Type.String(),
  status: LinkStatus,
  url: Nullable(
    Type.String({
      description: 'The page on which the customer pays; null while it is created, and once the customer is erased.',
    }),
  ),
  expires_at: Timestamp,
  paid_at: Nullable(Timestamp),
  failure: Nullable(Type.String({ description: 'Why the last attempt to create or to pay it failed.' })),
  user_id: Nullable(Type.Integer()),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type PaymentLink = Static<typeof PaymentLink>;

/** A request of a provider: the text of its body, which is signed, and its headers. */
export const CallbackRequest = Type.Object({
  provider: ProviderName,
  body: Type.String(),
  headers: Type.Record(Type.String(), Type.Unknown()),
});
export type CallbackRequest = Static<typeof CallbackRequest>;
