import {
  Building2,
  Clock,
  CreditCard,
  Globe,
  type LucideIcon,
  Mail,
  MessageCircle,
  MessagesSquare,
  Package,
  Percent,
  ReceiptText,
  Shield,
  ShoppingCart,
  SlidersHorizontal,
  Truck,
  Users,
} from 'lucide-react';

export interface SettingsEntry {
  /** The end of its address: `/settings/taxes`. */
  readonly key: string;
  readonly title: string;
  readonly lead: string;
  readonly icon: LucideIcon;
  /** What one needs besides `settings.view`. */
  readonly permission?: string;
}

/** The index of the settings. */
export const settingsSections: readonly { readonly title: string; readonly pages: readonly SettingsEntry[] }[] = [
  {
    title: 'Organization',
    pages: [
      {
        key: 'general',
        title: 'General',
        lead: 'Name, country, currency and time zone',
        icon: Building2,
      },
      {
        key: 'security',
        title: 'Security',
        lead: 'Two-factor, sessions, and members without a verified address',
        icon: Shield,
      },
      {
        key: 'domains',
        title: 'Domains',
        lead: 'The addresses of the organization, and whether they work',
        icon: Globe,
        permission: 'settings.domains',
      },
      {
        key: 'other',
        title: 'Other settings',
        lead: 'Settings of modules without their own page',
        icon: SlidersHorizontal,
      },
      {
        key: 'modules',
        title: 'Modules',
        lead: 'What this organization uses, and the settings of each',
        icon: Package,
        permission: 'modules.view',
      },
    ],
  },
  {
    title: 'Selling',
    pages: [
      { key: 'checkout', title: 'Checkout', lead: 'Order numbers and stock', icon: ShoppingCart },
      { key: 'customers', title: 'Customers', lead: 'When a customer is a VIP', icon: Users },
      { key: 'taxes', title: 'Taxes', lead: 'Rates, and whether prices include them', icon: Percent },
      {
        key: 'shipping',
        title: 'Shipping',
        lead: 'Where you deliver, and for how much',
        icon: Truck,
      },
      {
        key: 'payments',
        title: 'Payments',
        lead: 'Payment links of Stripe and Razorpay, and methods',
        icon: CreditCard,
      },
      {
        key: 'invoices',
        title: 'Invoices',
        lead: 'Numbers, tax number, address and logo',
        icon: ReceiptText,
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
      },
      {
        key: 'inbox',
        title: 'Opening hours and assignment',
        lead: 'When the team answers, and who gets new conversations',
        icon: Clock,
      },
      {
        key: 'mails',
        title: 'Mails to customers',
        lead: 'When an order is received, confirmed, shipped or refunded',
        icon: Mail,
        permission: 'notifications.rules.manage',
      },
      {
        key: 'widget',
        title: 'Web chat',
        lead: 'Visitors of your website talk with the team',
        icon: MessageCircle,
      },
    ],
  },
];
