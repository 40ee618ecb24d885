import { Issues, readValid, systemOperation, Type } from '@chowk/kit';
import { checkRegion, checkTimeZone, completeGuestRegion, writeRegion } from './region.ts';
import { RegionFields } from './schemas.ts';

const Region = Type.Object(RegionFields);

/** For modules and commands that create tenants. */
export const operations = {
  'installation.checkRegion': systemOperation({
    summary: 'Check country, currency and time zone of a new tenant',
    description: 'Returns the problems by field.',
    system: true,
    input: Region,
    output: Type.Record(Type.String(), Type.Array(Type.Object({ code: Type.String(), message: Type.String() }))),
    run: async ({ central }, region) => {
      const issues = new Issues();
      checkRegion(region, issues);
      await checkTimeZone(central, region, issues);
      return issues.errors;
    },
  }),
  'installation.setRegion': systemOperation({
    summary: 'Set country, currency and time zone of a new tenant',
    description:
      "What is absent is derived from the browser's languages, else from the region of the platform's owner.",
    system: true,
    input: Type.Object({ tenantId: Type.String(), region: Region }),
    run: async ({ central, client }, { tenantId, region }) => {
      await readValid(async (issues) => {
        checkRegion(region, issues);
        await checkTimeZone(central, region, issues);
      });
      const languages = client.header('accept-language');
      await writeRegion(central, tenantId, await completeGuestRegion(central, region, languages));
    },
  }),
};
