import { type SettingTypes, setting, Type } from '@chowk/kit';

export const settings = {
  'payments.provider': setting({
    schema: Type.Enum(['none', 'stripe', 'razorpay']),
    default: 'none',
    description:
      'Creates payment links: `none`, `stripe` or `razorpay`. `PUT /payments/providers/{provider}` saves its keys.',
  }),
  'payments.return_url': setting({
    schema: Type.String({ maxLength: 2_000, pattern: '^(https://[^\\s\\p{Cc}\\p{Cs}]+)?$' }),
    default: '',
    description:
      'The page that customers see after they have paid. Default: a page of the platform, or of the provider.',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Settings extends SettingTypes<typeof settings> {}
}
