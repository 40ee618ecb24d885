import { signedIn, systemAction, Type } from '@chowk/kit';
import { decide, getDevice, WaitingDevice } from './device-decisions.ts';

const common = {
  tag: 'Devices',
  needs: signedIn,
  tenant: 'optional',
  input: Type.Object({
    user_code: Type.String({
      maxLength: 32,
      description: 'The code that the device shows; case and hyphens are ignored.',
    }),
  }),
  errors: ['identity.session_only', 'identity.device_not_found'],
} as const;

export const deviceActions = {
  'device.get': systemAction({
    ...common,
    summary: 'Get the device that waits with a code',
    http: 'GET /device/:user_code',
    output: WaitingDevice,
    answer: { key: 'device' },
    run: getDevice,
  }),
  'device.approve': systemAction({
    ...common,
    summary: 'Approve a device',
    description: 'Signs the device in as the caller.',
    http: 'POST /device/:user_code/approve',
    answer: { message: 'Device approved.' },
    run: (ctx, key) => decide(ctx, key, 'approved'),
  }),
  'device.deny': systemAction({
    ...common,
    summary: 'Deny a device',
    http: 'POST /device/:user_code/deny',
    answer: { message: 'Device denied.' },
    run: (ctx, key) => decide(ctx, key, 'denied'),
  }),
};
