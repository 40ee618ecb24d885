import type { Ctx } from '@chowk/kit';

/** The keys of the tenant at a provider. */
export interface Keys {
  readonly keyId: string | null;
  readonly secretKey: string;
}

export interface NewLink {
  /** Named in callbacks. A request with the same id creates no second link. */
  readonly id: string;
  /** What the customer pays for. */
  readonly title: string;
  readonly amount: string;
  readonly currency: string;
  readonly expiresAt: Date;
  readonly contact: { readonly name: string | null; readonly email: string | null; readonly phone: string | null };
  /** The page that the customer sees afterwards. */
  readonly returnUrl: string;
}

export interface NewRefund {
  /** Named in callbacks. A request with the same id refunds nothing twice. */
  readonly id: string;
  /** The provider's id of the payment. */
  readonly paymentId: string;
  readonly amount: string;
  readonly currency: string;
}

/** `unavailable`: another attempt may succeed. Reasons contain no secrets. */
export type Outcome<Value> =
  | { readonly status: 'done'; readonly value: Value }
  | { readonly status: 'refused'; readonly reason: string }
  | { readonly status: 'unavailable'; readonly reason: string };

export interface ProviderLink {
  readonly id: string;
  readonly url: string;
}

export interface ProviderRefund {
  readonly id: string;
  /** `pending`: a callback follows. */
  readonly status: 'pending' | 'succeeded' | 'failed';
}

export interface SignedRequest {
  readonly body: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** The secrets that are valid now. */
  readonly secrets: readonly string[];
  readonly now: Date;
}

/** What a provider reports, in the terms of the platform. */
export interface Callback {
  /** The same in all deliveries of an event. */
  readonly id: string;
  readonly type: string;
  /** The id of our link, and the provider's. */
  readonly link?: { readonly id: string | undefined; readonly providerId: string | undefined } | undefined;
  readonly linkStatus?: 'processing' | 'paid' | 'expired' | 'cancelled' | 'failed' | undefined;
  readonly payment?: ReportedPayment | undefined;
  /** Why an attempt to pay failed; the customer can try again. */
  readonly failure?: string | undefined;
  readonly refund?: (ProviderRefund & { readonly refundId: string }) | undefined;
}

/** What has become of a link. */
export type LinkReport = Pick<Callback, 'linkStatus' | 'payment'>;

export interface ReportedPayment {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly status: 'pending' | 'succeeded' | 'failed';
  readonly at: Date;
}

export interface PaymentProvider {
  readonly title: string;
  /** How long a link can be paid. */
  readonly linkHours: number;
  /** The events that its webhook must send. */
  readonly events: readonly string[];
  /** Why the provider cannot charge an amount. */
  findAmountProblem(amount: string, currency: string): string | undefined;
  /** A request that changes nothing. */
  tryKeys(ctx: Ctx, keys: Keys): Promise<Outcome<unknown>>;
  createLink(ctx: Ctx, keys: Keys, link: NewLink): Promise<Outcome<ProviderLink>>;
  cancelLink(ctx: Ctx, keys: Keys, providerLinkId: string): Promise<Outcome<unknown>>;
  findLink(ctx: Ctx, keys: Keys, providerLinkId: string): Promise<Outcome<LinkReport>>;
  refund(ctx: Ctx, keys: Keys, refund: NewRefund): Promise<Outcome<ProviderRefund>>;
  findRefund(ctx: Ctx, keys: Keys, providerRefundId: string): Promise<Outcome<ProviderRefund>>;
  /** `undefined` unless the signature is valid and recent. */
  readCallback(request: SignedRequest): Callback | undefined;
}
