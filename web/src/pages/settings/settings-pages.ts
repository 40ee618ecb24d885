import {
  Building2,
  Clock,
  CreditCard,
  type LucideIcon,
  Mail,
  MessageCircle,
  MessagesSquare,
  Percent,
  ReceiptText,
  ShoppingCart,
  Truck,
} from 'lucide-react';
import type { FunctionComponent } from 'react';
import { lazyPage } from '../../routing/lazy-page.tsx';

export interface SettingsPage {
  /** The end of its address: `/settings/taxes`. */
  readonly key: string;
  readonly title: string;
  readonly lead: string;
  readonly icon: LucideIcon;
  /** What one needs besides `settings.view`. */
  readonly permission?: string;
  readonly Content: FunctionComponent & { readonly preload: () => Promise<void> };
}

const general = lazyPage(() => import('./general-page.tsx'), 'GeneralPage');
const checkout = lazyPage(() => import('./checkout-page.tsx'), 'CheckoutPage');
const taxes = lazyPage(() => import('./taxes-page.tsx'), 'TaxesPage');
const payments = lazyPage(() => import('./payments-page.tsx'), 'PaymentsPage');
const invoices = lazyPage(() => import('./invoices-page.tsx'), 'InvoicesPage');
const mails = lazyPage(() => import('./mails-page.tsx'), 'MailsPage');
const widget = lazyPage(() => import('./widget-page.tsx'), 'WidgetPage');
const channels = lazyPage(() => import('./channels-page.tsx'), 'ChannelsPage');
const inbox = lazyPage(() => import('./inbox-page.tsx'), 'InboxPage');
const shipping = lazyPage(() => import('./shipping-page.tsx'), 'ShippingPage');

/** The index of the settings, and the page of each entry. */
export const settingsSections: readonly { readonly title: string; readonly pages: readonly SettingsPage[] }[] = [
  {
    title: 'Organization',
    pages: [
      {
        key: 'general',
        title: 'General',
        lead: 'Name, country, currency and time zone',
        icon: Building2,
        Content: general,
      },
    ],
  },
  {
    title: 'Selling',
    pages: [
      { key: 'checkout', title: 'Checkout', lead: 'Order numbers and stock', icon: ShoppingCart, Content: checkout },
      { key: 'taxes', title: 'Taxes', lead: 'Rates, and whether prices include them', icon: Percent, Content: taxes },
      {
        key: 'shipping',
        title: 'Shipping',
        lead: 'Where you deliver, and for how much',
        icon: Truck,
        Content: shipping,
      },
      {
        key: 'payments',
        title: 'Payments',
        lead: 'Payment links of Stripe and Razorpay, and methods',
        icon: CreditCard,
        Content: payments,
      },
      {
        key: 'invoices',
        title: 'Invoices',
        lead: 'Numbers, tax number, address and logo',
        icon: ReceiptText,
        Content: invoices,
      },
    ],
  },
  {
    title: 'Talking with customers',
    pages: [
      {
        key: 'channels',
        title: 'Channels',
        lead: 'Email, SMS and WhatsApp: who sends them, and how answers come in',
        icon: MessagesSquare,
        permission: 'settings.api_clients',
        Content: channels,
      },
      {
        key: 'inbox',
        title: 'Opening hours and assignment',
        lead: 'When the team answers, and who gets new conversations',
        icon: Clock,
        Content: inbox,
      },
      {
        key: 'mails',
        title: 'Mails to customers',
        lead: 'When an order is received, confirmed, shipped or refunded',
        icon: Mail,
        permission: 'notifications.rules.manage',
        Content: mails,
      },
      {
        key: 'widget',
        title: 'Web chat',
        lead: 'Visitors of your shop talk with the team',
        icon: MessageCircle,
        Content: widget,
      },
    ],
  },
];
