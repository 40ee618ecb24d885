import { Answer, action, html, Message, Type } from '@chowk/kit';
import { checkKeys, deleteKeys, getProviders, saveKeys, tryKeys } from './accounts.ts';
import { receiveCallback } from './callbacks.ts';
import { cancelLink, checkNewLink, createLink, pagedLinks } from './links.ts';
import {
  ByProvider,
  CallbackRequest,
  KeyCheck,
  LinkKey,
  NewPaymentLink,
  PaymentLink,
  PaymentProviderAccount,
  ProviderKeys,
} from './schemas.ts';

const needsKeys = 'settings.api_clients';
const atProvider = ['payments.not_configured', 'payments.refused', 'payments.unavailable'];

export const actions = {
  'payments.getProviders': action({
    summary: 'List payment providers',
    description: 'Without their secrets. The setting `payments.provider` chooses one.',
    http: 'GET /payments/providers',
    graphql: 'paymentProviders',
    needs: [needsKeys, 'orders.edit'],
    output: Type.Object({ providers: Type.Array(PaymentProviderAccount) }),
    run: getProviders,
  }),
  'payments.saveProvider': action({
    summary: 'Save the keys of a payment provider',
    description: 'Fields that are not sent do not change.',
    http: 'PUT /payments/providers/:provider',
    graphql: 'savePaymentProvider',
    needs: needsKeys,
    input: ProviderKeys,
    output: PaymentProviderAccount,
    answer: { key: 'provider', message: 'Keys saved.' },
    atomic: true,
    check: checkKeys,
    run: saveKeys,
  }),
  'payments.deleteProvider': action({
    summary: 'Delete the keys of a payment provider',
    description: 'Its callbacks are refused afterwards, and its open links can still be paid: cancel them first.',
    http: 'DELETE /payments/providers/:provider',
    graphql: 'deletePaymentProvider',
    needs: needsKeys,
    input: ByProvider,
    answer: { message: 'Keys deleted.' },
    errors: ['payments.provider_not_found'],
    run: deleteKeys,
  }),
  'payments.testProvider': action({
    summary: 'Test the keys of a payment provider',
    description: 'Sends a request that changes nothing.',
    http: 'POST /payments/providers/:provider/test',
    graphql: 'testPaymentProvider',
    needs: needsKeys,
    sendsRequests: true,
    input: ByProvider,
    output: KeyCheck,
    errors: ['payments.provider_not_found'],
    run: tryKeys,
  }),
  'payments.createLink': action({
    summary: 'Create a payment link for an order',
    description: 'While the order has an open link for the amount, returns that one.',
    http: 'POST /orders/:id/payment-link',
    graphql: 'createPaymentLink',
    needs: 'orders.edit',
    sendsRequests: true,
    input: NewPaymentLink,
    output: PaymentLink,
    answer: { key: 'link', message: 'Payment link created.', status: 201 },
    errors: ['orders.not_found', 'payments.order_closed', ...atProvider],
    check: checkNewLink,
    run: createLink,
  }),
  'payments.listLinks': action({
    summary: 'List the payment links of an order',
    http: 'GET /orders/:id/payment-links',
    graphql: 'paymentLinks',
    needs: 'orders.view',
    errors: ['orders.not_found'],
    ...pagedLinks,
  }),
  'payments.cancelLink': action({
    summary: 'Cancel a payment link',
    http: 'POST /orders/:id/payment-links/:link/cancel',
    graphql: 'cancelPaymentLink',
    needs: 'orders.edit',
    sendsRequests: true,
    input: LinkKey,
    output: PaymentLink,
    answer: { key: 'link', message: 'Payment link cancelled.' },
    errors: ['payments.link_not_found', 'payments.link_closed', ...atProvider],
    run: cancelLink,
  }),
  'payments.receiveCallback': action({
    summary: 'Receive an event from a payment provider',
    description: 'For the webhook of the provider, which signs its requests. Each event is applied once.',
    http: 'POST /payments/callbacks/:provider',
    graphql: false,
    public: true,
    limit: { perMinute: 600, by: 'network' },
    accepts: 'signed',
    bodyLimit: 262_144,
    input: CallbackRequest,
    output: Message,
    errors: ['payments.bad_signature'],
    run: async (ctx, request) => {
      await receiveCallback(ctx, request);
      return { message: 'Received.' };
    },
  }),
  'payments.thanks': action({
    summary: 'Show the page after a payment',
    http: 'GET /payments/thanks',
    webPage: true,
    graphql: false,
    public: true,
    run: async (ctx) => thanksPage(ctx.tenant.name),
  }),
};

function thanksPage(shop: string): Answer {
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Thank you</title></head>
<body><h1>Thank you</h1><p>Your payment is on its way to ${shop}. You can close this page.</p></body></html>`;
  return new Answer(page.toString(), { headers: { 'content-type': 'text/html; charset=utf-8' } });
}
