/** The versions of the API that requests can name, the newest last. `docs/guides/versions.md` describes the policy. */
export const apiVersions = ['2026-11-01'] as const;
/** For requests without the header, and for webhooks. */
export const defaultApiVersion: string = apiVersions[0];
