import { createRequire } from 'node:module';
import { createConfig, lintFromString } from '@redocly/openapi-core';

/* The recommended rules of the two most common OpenAPI linters. */

export interface Finding {
  readonly rule: string;
  readonly where: string;
  readonly message: string;
}

export async function lintWithRedocly(text: string): Promise<Finding[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    message,
    where: location.map(({ pointer }) => pointer ?? '').join(' '),
  }));
}

// Spectral is CommonJS.
const require = createRequire(import.meta.url);
const { Spectral } = require('@stoplight/spectral-core') as typeof import('@stoplight/spectral-core');
const { oas } = require('@stoplight/spectral-rulesets') as typeof import('@stoplight/spectral-rulesets');

export async function lintWithSpectral(text: string): Promise<Finding[]> {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas, 'recommended']] } as never);
  const results = await spectral.run(text);
  return results.map(({ code, message, path }) => ({ rule: String(code), message, where: path.join('/') }));
}
