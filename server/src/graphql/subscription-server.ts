import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure } from '@chowk/kit/kernel';
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL, type Message, MessageType, parseMessage } from 'graphql-ws';
import type { RawData, WebSocket } from 'ws';
import { resolveCaller, takeFromPlan, takeFromRateLimit, tooManyRequests } from '../actions/resolve-caller.ts';
import type { Config } from '../config/config.ts';
import { Context } from '../context/context.ts';
import { fail } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Kernel } from '../kernel.ts';
import { activityTimeout, codes } from '../realtime/protocol.ts';
import { tooManySockets } from '../realtime/realtime.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { failureError } from './errors.ts';
import { graphqlError } from './graphql-refusal.ts';
import { isDeeper } from './scalars.ts';
import { type SocketRequest, type SocketSubscription, SubscriptionSocket } from './subscription-socket.ts';

type Params = Readonly<Record<string, unknown>>;

const sweepMs = 1_000;
/** A client that sends nothing for this long gets a ping; after four times as long it is disconnected. */
const pingAfterMs = activityTimeout * 1_000;
const initMs = 10_000;
/** Each sweep subtracts this many from the message count of a client. */
const messagesPerSweep = 50;
const maxMessages = 500;
const maxSubscriptions = 100;
const maxMessageDepth = 100;
const socketsPerTurn = 200;

/** GraphQL subscriptions of this process: https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md */
export class SubscriptionServer {
  readonly #kernel: Kernel;
  readonly #sockets = new Set<SubscriptionSocket>();
  #sweeping: NodeJS.Timeout | undefined;
  #isSweeping = false;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** Takes over a connected socket. */
  accept(socket: WebSocket, request: SocketRequest): SubscriptionSocket {
    const client = new SubscriptionSocket(socket, request);
    socket.on('error', () => {});
    if (socket.protocol !== GRAPHQL_TRANSPORT_WS_PROTOCOL) {
      client.close(CloseCode.SubprotocolNotAcceptable, `The protocol must be ${GRAPHQL_TRANSPORT_WS_PROTOCOL}.`);
      return client;
    }
    const release = this.#kernel.realtime.sockets.take(request.network);
    if (!release) {
      client.close(...tooManySockets);
      return client;
    }
    this.#sockets.add(client);
    socket.on('message', (data, isBinary) => this.#receive(client, data, isBinary));
    socket.on('pong', () => {
      client.lastSeenAt = Date.now();
    });
    socket.on('close', () => {
      this.#sockets.delete(client);
      client.close(1000, '');
      release();
    });
    this.#sweeping ??= setInterval(() => void this.sweep(), sweepMs).unref();
    return client;
  }

  /**
   * Finds idle clients, expired tokens and lost rights, all from caches. Runs every second; tests call it with a later time.
   * Events are checked on their own: none is sent to a client that has lost its rights since.
   */
  async sweep(now = Date.now()): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    try {
      let count = 0;
      for (const client of this.#sockets) {
        await this.#check(client, now);
        if (++count % socketsPerTurn === 0) await nextTurn();
      }
    } catch (error) {
      this.#kernel.log.warn({ err: error }, 'could not check the sockets of subscriptions; the next sweep does');
    } finally {
      this.#isSweeping = false;
    }
  }

  close(): void {
    clearInterval(this.#sweeping);
  }

  async #check(client: SubscriptionSocket, now: number): Promise<void> {
    client.messages = Math.max(0, client.messages - messagesPerSweep);
    const idleMs = now - client.lastSeenAt;
    if (idleMs > 4 * pingAfterMs) client.close(codes.noPong, 'The client did not answer a ping.');
    else if (idleMs > pingAfterMs) client.ping();
    if (!client.session) {
      if (now - client.openedAt > initMs)
        client.close(CloseCode.ConnectionInitialisationTimeout, 'No connection_init.');
      return;
    }
    const ctx = await this.#createContext(client);
    if (!ctx) return;
    for (const [id, { accepted }] of client.subscriptions) {
      const refusal = await accepted?.findRefusal(ctx);
      if (refusal) client.refuse(id, [refusal]);
    }
  }

  #receive(client: SubscriptionSocket, data: RawData, isBinary: boolean): void {
    if (client.isClosed) return;
    client.lastSeenAt = Date.now();
    client.messages += 1;
    if (client.messages > maxMessages) {
      client.close(codes.overCapacity, 'The client sends too many messages.');
      return;
    }
    const message = isBinary ? undefined : readMessage(String(data));
    if (!message) client.close(CloseCode.BadRequest, 'The message is not valid.');
    else this.#handle(client, message).catch((error: unknown) => this.#fail(client, error));
  }

  async #handle(client: SubscriptionSocket, message: Message): Promise<void> {
    switch (message.type) {
      case MessageType.ConnectionInit:
        return this.#connect(client, message.payload ?? {});
      case MessageType.Ping:
        return client.send({ type: MessageType.Pong, payload: message.payload });
      case MessageType.Pong:
        return;
      case MessageType.Subscribe:
        return this.#subscribe(client, message.id, message.payload);
      case MessageType.Complete:
        client.end(message.id);
        return;
      default:
        client.close(CloseCode.BadRequest, 'The message is not valid.');
    }
  }

  async #connect(client: SubscriptionSocket, params: Params): Promise<void> {
    if (client.isInitialized) {
      client.close(CloseCode.TooManyInitialisationRequests, 'There was a connection_init before.');
      return;
    }
    client.isInitialized = true;
    const { request } = client;
    try {
      const tenant = await this.#resolveTenant(request, params);
      if (tenant.ring !== this.#kernel.config.ringName) {
        client.close(CloseCode.BadRequest, otherRing(tenant, this.#kernel.config));
        return;
      }
      const token = tokenIn(params) ?? request.token ?? '';
      const { caller, membership } = await resolveCaller(this.#kernel.identity, token, tenant);
      if (!caller) {
        if (token) request.onFailedLookup();
        client.close(CloseCode.Unauthorized, 'The token is missing or not valid.');
      } else if (!membership) throw fail('auth.not_a_member');
      else {
        client.session = { token, tenant, id: caller.session.id };
        client.send({ type: MessageType.ConnectionAck });
      }
    } catch (error) {
      const failure = asFailure(error);
      if (failure.code === 'tenancy.unknown') request.onFailedLookup();
      client.close(CloseCode.Forbidden, failure.message.slice(0, 100));
    }
  }

  /** The host and the parameter must not disagree. */
  async #resolveTenant({ source, tenant }: SocketRequest, params: Params): Promise<TenantEntry> {
    const header = textIn(params, 'X-Tenant', 'x-tenant');
    const named =
      header === undefined ? undefined : await this.#kernel.directory.resolve({ host: source.host, header });
    if (named && tenant && named.tenant.id !== tenant.id) throw fail('tenancy.ambiguous');
    const found = named?.tenant ?? tenant;
    if (!found) throw fail('tenancy.required');
    return found;
  }

  async #subscribe(client: SubscriptionSocket, id: string, request: object): Promise<void> {
    const { session, subscriptions } = client;
    if (!session) return client.close(CloseCode.Unauthorized, 'There was no connection_init.');
    if (subscriptions.has(id)) return client.close(CloseCode.SubscriberAlreadyExists, 'The id is in use.');
    const subscription: SocketSubscription = { unsubscribe: () => {} };
    subscriptions.set(id, subscription);
    if (subscriptions.size > maxSubscriptions) return client.refuse(id, [tooManySubscriptions]);
    const ctx = await this.#createContext(client);
    if (!ctx) return;
    const accepted = await this.#accept(ctx, request);
    // The client may have ended it meanwhile.
    if (subscriptions.get(id) !== subscription) return;
    if ('errors' in accepted) return client.refuse(id, accepted.errors);
    const room = { tenantId: session.tenant.id, event: accepted.event, userId: accepted.userId };
    subscription.accepted = accepted;
    subscription.unsubscribe = this.#kernel.feed.subscribe(room, (payload) => {
      if (accepted.includes(payload)) client.enqueue(() => this.#deliver(client, id, subscription, payload));
    });
  }

  /** A subscription counts as a request. */
  async #accept(ctx: Context, request: object) {
    const { limiter, config, now } = this.#kernel;
    try {
      const call = { ...ctx.principal, address: ctx.client.address, now: now().getTime() };
      if (config.rateLimitPerMinute > 0) {
        const state = takeFromRateLimit(limiter, config.rateLimitPerMinute, call);
        if (!state.allowed) throw tooManyRequests(state);
      }
      takeFromPlan(limiter, call.tenant, call.now);
      return await ctx.inModule(undefined).bus.call('graphql.acceptSubscription', { request });
    } catch (error) {
      return { errors: [failureError(asFailure(error))] };
    }
  }

  async #deliver(
    client: SubscriptionSocket,
    id: string,
    subscription: SocketSubscription,
    payload: unknown,
  ): Promise<void> {
    const isOpen = () => client.subscriptions.get(id) === subscription;
    try {
      const ctx = isOpen() ? await this.#createContext(client) : undefined;
      if (!ctx || !subscription.accepted) return;
      const refusal = await subscription.accepted.findRefusal(ctx);
      if (refusal) return client.refuse(id, [refusal]);
      const result = await subscription.accepted.execute(ctx, payload);
      if (isOpen()) client.send({ id, type: MessageType.Next, payload: result });
    } catch (error) {
      this.#fail(client, error);
    }
  }

  /** The context of a call by the client now. Closes the socket of a client that may no longer call. */
  async #createContext(client: SubscriptionSocket): Promise<Context | undefined> {
    const { session } = client;
    if (!session || client.isClosed) return undefined;
    const { directory, identity } = this.#kernel;
    const tenant = await directory.find(session.tenant.id);
    if (tenant && tenant.ring !== session.tenant.ring) {
      client.close(codes.reconnect, 'The tenant has moved to another ring.');
      return undefined;
    }
    const { caller, membership } = await resolveCaller(identity, session.token, tenant);
    if (caller && tenant && membership) {
      const { source } = client.request;
      return new Context(this.#kernel, { requestId: newId(), tenant, user: caller, membership, source });
    }
    // Clients connect again after 4403, and not after 4401.
    if (caller) client.close(CloseCode.Forbidden, 'You are not a member of the tenant.');
    else if (await identity.session(session.id)) client.close(CloseCode.Forbidden, 'The token has expired.');
    else client.close(CloseCode.Unauthorized, 'The session has ended.');
    return undefined;
  }

  #fail(client: SubscriptionSocket, error: unknown): void {
    this.#kernel.log.warn({ err: error }, 'a subscription failed');
    client.close(codes.overCapacity, 'The server could not continue; connect again.');
  }
}

/** A proxy on the way has seen no tenant. A reason of more than 123 bytes cannot be sent. */
function otherRing({ id }: TenantEntry, { appUrl, baseDomain }: Config): string {
  const { port } = new URL(appUrl);
  return `Connect to ${id}.${baseDomain}${port && `:${port}`}: the tenant is on another ring.`.slice(0, 123);
}

const tooManySubscriptions = graphqlError(
  'TOO_MANY_SUBSCRIPTIONS',
  `A socket can have ${maxSubscriptions} subscriptions at most.`,
);

function readMessage(text: string): Message | undefined {
  try {
    const message = parseMessage(text);
    // The code that copies a message is recursive.
    return isDeeper(message, maxMessageDepth) ? undefined : message;
  } catch {
    return undefined;
  }
}

/** Rethrows errors that are not failures. */
function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

function tokenIn(params: Params): string | undefined {
  const header = textIn(params, 'Authorization', 'authorization');
  return header === undefined ? textIn(params, 'token') : header.replace(/^Bearer +/i, '');
}

function textIn(params: Params, ...names: readonly string[]): string | undefined {
  return names.map((name) => params[name]).find((value) => typeof value === 'string');
}
