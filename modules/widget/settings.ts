import { type SettingTypes, setting, Type } from '@chowk/kit';

const Origin = Type.String({ maxLength: 255, pattern: '^https?://[a-z0-9.-]+(:\\d{1,5})?$', trim: true });

export const settings = {
  'widget.enabled': setting({
    schema: Type.Boolean(),
    default: false,
    description: 'Shows the chat on the pages of your website that contain its script.',
  }),
  'widget.allowed_origins': setting({
    schema: Type.Array(Origin, { maxItems: 20, uniqueItems: true }),
    default: [],
    description: 'The sites that may show the chat, such as `https://shop.example.com`. No other page can use it.',
  }),
  'widget.color': setting({
    schema: Type.String({ pattern: '^#[0-9a-fA-F]{6}$' }),
    default: '#1d4ed8',
    description: 'The color of the button and of the visitor’s messages, such as `#1d4ed8`.',
  }),
  'widget.position': setting({
    schema: Type.Enum(['right', 'left']),
    default: 'right',
    description: 'The corner of the page for the button: `right` or `left`.',
  }),
  'widget.greeting': setting({
    schema: Type.String({ maxLength: 500 }),
    default: 'Hello! How can we help?',
    description: 'The text above the first message.',
  }),
  'widget.opening_hours': setting({
    schema: Type.String({ maxLength: 200 }),
    default: '',
    description: 'When the team answers, such as `Monday to Friday, 9 to 18`. Shown below the organization’s name.',
  }),
  'widget.ask_for_email': setting({
    schema: Type.Boolean(),
    default: false,
    description: 'Visitors enter their email address before the first message, so that answers reach them later too.',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Settings extends SettingTypes<typeof settings> {}
}
