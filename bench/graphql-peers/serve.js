import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import pg from 'pg';

/*
 * Another GraphQL server with the schema of the platform and the same data. `PEER` chooses it. Without tenants, callers and
 * permissions, which the platform checks on each request.
 */

const pool = new pg.Pool({ ...JSON.parse(process.env.DATABASE), max: 10, options: '-c TimeZone=UTC' });
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => `${text.replace(' ', 'T').slice(0, 23)}Z`);

const statement = {
  name: 'products',
  text: `
    SELECT p.id, p.sku, p.title, p.description, p.price, p.compare_at_price, p.status, p.images, p.tags, p.categories,
      p.mandatory, p.stock, p.created_at, p.updated_at, p.created_at::text AS cursor_key
    FROM products p WHERE p.deleted_at IS NULL ORDER BY p.created_at DESC, p.id DESC LIMIT $1`,
};

const resolvers = {
  Query: {
    async products(_, { first }) {
      const { rows } = await pool.query({ ...statement, values: [first + 1] });
      const nodes = rows.slice(0, first);
      const last = nodes.at(-1);
      const cursor = last && Buffer.from(JSON.stringify(['created_at', 'desc', last.cursor_key, last.id]));
      return {
        nodes,
        pageInfo: { hasNextPage: rows.length > first, endCursor: cursor?.toString('base64url') ?? null },
      };
    },
  },
};

const typeDefs = readFileSync(process.env.SCHEMA, 'utf8');

/** Each listens and returns its port. */
const peers = {
  async yoga() {
    const { createServer } = await import('node:http');
    const { createSchema, createYoga } = await import('graphql-yoga');
    const yoga = createYoga({ schema: createSchema({ typeDefs, resolvers }), logging: false, landingPage: false });
    const server = createServer(yoga);
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server.address().port;
  },
  async apollo() {
    const { ApolloServer } = await import('@apollo/server');
    const { default: integration } = await import('@as-integrations/fastify');
    const { default: Fastify } = await import('fastify');
    const apollo = new ApolloServer({ typeDefs, resolvers });
    await apollo.start();
    const app = Fastify();
    await app.register(integration(apollo), { path: '/graphql' });
    await app.listen({ host: '127.0.0.1', port: 0 });
    return app.addresses()[0].port;
  },
  async mercurius() {
    const { default: mercurius } = await import('mercurius');
    const { default: Fastify } = await import('fastify');
    const app = Fastify();
    app.register(mercurius, { schema: typeDefs, resolvers, jit: 1 });
    await app.listen({ host: '127.0.0.1', port: 0 });
    return app.addresses()[0].port;
  },
};

buildSchema(typeDefs);
const port = await peers[process.env.PEER]();
process.stdout.write(`${JSON.stringify({ pid: process.pid, port })}\n`);
process.stdin.resume().once('end', () => process.exit());
