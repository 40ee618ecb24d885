import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A text of the code, what replaces it, and the tests of which one is to fail. */
export interface Fault {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly tests: readonly string[];
}

const inputTest = 'modules/identity/hostile-input.test.ts';
const permissionTest = 'modules/identity/permission-matrix.test.ts';

const failures = 'server/src/db/failures.ts';
const validation = 'server/src/schemas/validation.ts';
const authorize = 'server/src/actions/authorize.ts';
const roles = 'modules/identity/accounts/system-roles.ts';

const failuresTest = 'server/src/db/failures.test.ts';
const validationTest = 'server/src/schemas/validation.test.ts';
const timeZoneTest = 'modules/identity/profile/profile.test.ts';

type FaultEntry = [name: string, file: string, from: string, to: string, narrowTest?: string];

/** Texts of the code, what replaces them, and the narrow test of what no request can cause alone. */
const inputFaults: FaultEntry[] = [
  ...['22021', '22003', '22P05', '22P02', '22008', '22007', '22001', '54000'].map(
    (code): FaultEntry => [`input: error ${code} is unexpected`, failures, `'${code}', `, '', failuresTest],
  ),
  ['input: Infinity is an integer', validation, 'read(value) ?? check?.(value)', 'read(value)'],
  ['input: 1e999 is a number', validation, 'strictNumbers: true', 'strictNumbers: false', validationTest],
  ['input: an offset is a time zone', validation, 'if (!/^[A-Za-z]/.test(text)) return false;', '', validationTest],
  [
    'input: any text is a time zone',
    validation,
    "return Boolean(new Intl.DateTimeFormat('en', { timeZone: text }));",
    'return true;',
    timeZoneTest,
  ],
  ['input: any year', 'kit/src/schema.ts', 'year >= 1 && year <= 9_999 ?', 'year !== 0 ?'],
  [
    'input: a cursor of anything',
    'kit/src/paging.ts',
    "parts.length !== 4 || !parts.every((part) => typeof part === 'string')",
    'parts.length === 0',
    'kit/src/list.test.ts',
  ],
  ['input: a cursor without JSON', 'kit/src/paging.ts', '  } catch {\n    return undefined;', '  } finally {\n'],
  [
    'input: page 0',
    'kit/src/paging.ts',
    '  page: Default(Type.Integer({ minimum: 1, ',
    '  page: Default(Type.Integer({ ',
  ],
  [
    'input: no records per page',
    'kit/src/paging.ts',
    'per_page: Default(Type.Integer({ minimum: 1, ',
    'per_page: Default(Type.Integer({ ',
  ],
  ['input: a body of null', 'server/src/http/read-input.ts', ' || body === null || ', ' || '],
  [
    'input: malformed JSON',
    'server/src/http/read-body.ts',
    "throw fail('http.malformed_json')",
    "throw new Error('malformed')",
  ],
  [
    'input: an unknown permission',
    'modules/identity/accounts/permissions.ts',
    'if (unknown.has(name)) issues',
    'if (unknown.size > 99) issues',
    'modules/identity/team/roles.test.ts',
  ],
  [
    'input: an unknown role',
    'modules/identity/team/roles.ts',
    'if (!assignable) throw invalid({ role: noSuchRole });',
    '',
  ],
  [
    'input: settings of null',
    'modules/administration/settings.ts',
    "typeof settings === 'object' && settings !== null",
    "typeof settings === 'object'",
    'modules/administration/settings.test.ts',
  ],
  [
    'input: a client id with NUL',
    'modules/identity/oauth/oauth-clients.ts',
    ' || !/^[\\x20-\\x7e]+$/.test(credentials.id)',
    '',
    'modules/identity/oauth/oauth-token.test.ts',
  ],
  [
    'input: a SKU that exists',
    'modules/products/unique-keys.ts',
    "if (['products_sku', 'product_variants_sku', 'products_slug'].includes(index))",
    "if (index === '')",
    'modules/products/products.test.ts',
  ],
];

const permissionFaults: FaultEntry[] = [
  ['permission: membership is not required', authorize, 'if (!isOpen) requireMembership(principal);', ''],
  ['permission: none is required', authorize, 'if (!isOpen) requirePermission(', 'if (!action) requirePermission('],
  [
    'permission: a stranger has access',
    authorize,
    "if (tenant && !membership) throw fail('auth.not_a_member');",
    'void tenant;\n  void membership;',
  ],
  ['permission: 401 without its header', authorize, "{}, { headers: { 'WWW-Authenticate': 'Bearer' } }", '{}'],
  ['permission: all of several', authorize, ': needs.some(', ': needs.every('],
  [
    'permission: several are none',
    authorize,
    'action.internal || principal.system',
    "action.internal || principal.system || typeof action.needs === 'object'",
  ],
  ['permission: managers invite', roles, "  'team.view',\n", "  'team.view',\n  'team.invite',\n"],
  ['permission: admins see bills', roles, "'settings.billing', ", ''],
  [
    'permission: agents delete',
    roles,
    "combine(['customers', 'orders'], ['view', 'create', 'edit'])",
    "combine(['customers', 'orders'], ['view', 'create', 'edit', 'delete'])",
  ],
  ['permission: viewers see all', roles, "name.endsWith('.view')", "name.includes('view')"],
  [
    'permission: merchants are resellers',
    'modules/identity/accounts/permissions.ts',
    "return tenantRole !== 'merchant' || ",
    "return tenantRole !== '' || ",
  ],
  [
    'permission: reads are open over REST',
    'server/src/actions/call.ts',
    'const authorized = authorize(',
    "const authorized = call.transport === 'rest' && call.action.isReadOnly ? undefined : authorize(",
  ],
  [
    'permission: strangers are owners over REST',
    'server/src/http/authenticate.ts',
    'exchange.membership = membership;',
    "exchange.membership = membership ?? { role: 'Owner', permissions: new Set(kernel.services.permissions.map(({ name }) => name)) };",
  ],
  [
    'permission: every role is seeded with all',
    'modules/identity/accounts/seed.ts',
    'holds(name) || roles.includes(role)',
    'holds(name) || roles.includes(role) || name !== role',
  ],
  [
    'permission: none is sensitive',
    'modules/identity/accounts/seed.ts',
    'is_sensitive: isSensitive,',
    'is_sensitive: isSensitive && false,',
    'modules/identity/accounts/seed.test.ts',
  ],
  ['permission: one has another name', 'modules/identity/module.json', '"activity.export"', '"activity.exports"'],
];

export const faults: readonly Fault[] = [
  ...inputFaults.map((entry) => describeFault(inputTest, entry)),
  ...permissionFaults.map((entry) => describeFault(permissionTest, entry)),
];

function describeFault(test: string, [name, file, from, to, narrowTest]: FaultEntry): Fault {
  return { name, file, from, to, tests: narrowTest === undefined ? [test] : [narrowTest, test] };
}

/** Why faults cannot be planted in a checkout: their texts are not there exactly once. */
export async function staleFaults(checkout: string): Promise<string[]> {
  const problems = await Promise.all(
    faults.map(async ({ name, file, from }) => {
      const text = await readFile(join(checkout, file), 'utf8');
      return text.split(from).length === 2 ? [] : [`${name}: ${file} has this text not exactly once: ${from}`];
    }),
  );
  return problems.flat();
}
