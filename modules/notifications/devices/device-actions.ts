import { action, ById, Type } from '@chowk/kit';
import { Device, deleteDevice, listDevices, NewDevice, registerDevice } from './devices.ts';

const needs = 'notifications.view';

export const deviceActions = {
  'notifications.listDevices': action({
    summary: 'List your devices',
    description: 'The devices that get push messages of this tenant, most recently registered first.',
    http: 'GET /devices',
    graphql: 'devices',
    needs,
    output: Type.Object({ devices: Type.Array(Device) }),
    run: listDevices,
  }),
  'notifications.registerDevice': action({
    summary: 'Register a device for push messages',
    description:
      'Call it after each sign-in and whenever the token changes. It gets messages while the session of the caller lasts. ' +
      'The token of another user moves to the caller. A user has at most 20 devices: the oldest is removed.',
    http: 'POST /devices',
    graphql: 'registerDevice',
    needs,
    input: NewDevice,
    output: Device,
    answer: { key: 'device', message: 'Device registered.', status: 201 },
    run: registerDevice,
  }),
  'notifications.deleteDevice': action({
    summary: 'Delete one of your devices',
    http: 'DELETE /devices/:id',
    graphql: 'deleteDevice',
    needs,
    input: ById,
    answer: { message: 'Device deleted.' },
    errors: ['notifications.device_not_found'],
    run: deleteDevice,
  }),
};
