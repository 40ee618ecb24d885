import { type SettingTypes, setting, Type } from '@chowk/kit';

export const settings = {
  'mcp.enabled': setting({
    schema: Type.Boolean(),
    default: false,
    description: 'Whether agents may call the actions as tools, with the rights of the token that they use.',
    permission: 'settings.security',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Settings extends SettingTypes<typeof settings> {}
}
