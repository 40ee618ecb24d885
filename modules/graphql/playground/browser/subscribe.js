import { send, session } from './session.js';

/** The results of a subscription as an observable, over a socket of its own. */
export async function subscribe(operation, headers) {
  // Refreshes an expired token, which a socket does not.
  await send('/auth/me');
  const { access_token: token, tenant } = session();
  const params = { token, ...(tenant && { 'X-Tenant': tenant }), ...headers };
  return {
    subscribe({ next, error, complete }) {
      const url = new URL('/api/v1/graphql', location.href);
      url.protocol = url.protocol.replace('http', 'ws');
      const socket = new WebSocket(url, 'graphql-transport-ws');
      const write = (message) => socket.send(JSON.stringify(message));
      const end = () => {
        socket.onclose = null;
        socket.close();
      };
      const on = {
        connection_ack: () => write({ id: '1', type: 'subscribe', payload: operation }),
        ping: () => write({ type: 'pong' }),
        next,
        error: (errors) => {
          next({ errors });
          on.complete();
        },
        complete: () => {
          end();
          complete();
        },
      };
      socket.onopen = () => write({ type: 'connection_init', payload: params });
      socket.onmessage = ({ data }) => {
        const { type, payload } = JSON.parse(data);
        on[type]?.(payload);
      };
      socket.onclose = ({ code, reason }) => error(new Error(`The connection was closed: ${reason} (${code})`));
      return { unsubscribe: end };
    },
  };
}
