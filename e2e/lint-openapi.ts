import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { Oas3Rule } from '@redocly/openapi-core/lib/visitors.js';

export interface Finding {
  readonly rule: string;
  readonly where: string;
  readonly message: string;
}

/** What Spectral reports and Redocly does not. */
const additionalRules: Record<string, Oas3Rule> = {
  'info-description': () => ({
    Info: (info, { report }) => {
      if (!info.description) report({ message: 'The API has no description.' });
    },
  }),
  'array-items': () => ({
    Schema: (schema, { report }) => {
      if (schema.type === 'array' && !schema.items) report({ message: 'The array has no items.' });
    },
  }),
  'enum-unique': () => ({
    Schema: ({ enum: values = [] }, { report }) => {
      if (new Set(values).size < values.length) report({ message: 'A value of the enum occurs twice.' });
    },
  }),
};

/** Lints with the recommended rules of Redocly and Spectral. */
export async function lintOpenApi(text: string): Promise<Finding[]> {
  const config = await createConfig({
    plugins: [{ id: 'chowk', rules: { oas3: additionalRules } }],
    extends: ['recommended'],
    rules: {
      ...Object.fromEntries(Object.keys(additionalRules).map((name) => [`chowk/${name}`, 'error'])),
      'no-invalid-media-type-examples': 'error',
      'no-invalid-parameter-examples': 'error',
      'no-invalid-schema-examples': 'error',
      'no-required-schema-properties-undefined': 'error',
      'no-schema-type-mismatch': 'error',
      'operation-tag-defined': 'error',
    },
  });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  const findings = problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    message,
    where: location.map(({ pointer }) => pointer ?? '').join(' '),
  }));
  return findings.filter((finding) => !isLookup(finding));
}

/** `/customers/by-email/{email}` is not `/customers/{id}/addresses`: an id is a UUID, and fixed segments are matched first. */
function isLookup({ rule, where }: Finding): boolean {
  return rule === 'no-ambiguous-paths' && /^#\/paths\/~1api~1v1~1\w+~1by-/.test(where);
}
