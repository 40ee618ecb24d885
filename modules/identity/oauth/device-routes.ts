import { Message, type Route, signedIn, systemRoute, Type } from '@chowk/kit';
import { decide, showDevice, WaitingDevice } from './device-decisions.ts';

const tag = 'Devices';
const ByCode = Type.Object({
  user_code: Type.String({ maxLength: 32, description: 'As the device shows it; case and hyphen do not matter.' }),
});
const common = { tag, needs: signedIn, tenant: 'optional', params: ByCode } as const;

/** The user's yes or no to a program that waits for it. */
export const deviceRoutes: Route[] = [
  systemRoute({
    ...common,
    method: 'GET',
    path: '/device/:user_code',
    summary: 'The program that waits under a code.',
    answer: Type.Object({ device: WaitingDevice }),
    run: async (ctx, { params }) => ({ device: await showDevice(ctx, params.user_code) }),
  }),
  systemRoute({
    ...common,
    method: 'POST',
    path: '/device/:user_code/approve',
    summary: 'Lets the program act for the caller.',
    answer: Message,
    run: async (ctx, { params }) => {
      await decide(ctx, { userCode: params.user_code, decision: 'approved' });
      return { message: 'The device is signed in.' };
    },
  }),
  systemRoute({
    ...common,
    method: 'POST',
    path: '/device/:user_code/deny',
    summary: 'Turns the program away.',
    answer: Message,
    run: async (ctx, { params }) => {
      await decide(ctx, { userCode: params.user_code, decision: 'denied' });
      return { message: 'The device was turned away.' };
    },
  }),
];
