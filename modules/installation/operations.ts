import { readValid, type SystemCtx, systemOperation, Type } from '@chowk/kit';
import { checkTimeZone } from './owner.ts';
import { checkRegion, completeRegion, type Region, writeRegion } from './region.ts';

const Text = Type.Optional(Type.String());

export const operations = {
  'installation.setRegion': systemOperation({
    summary: 'Set country, currency and time zone of a tenant',
    description: 'What is not given is derived from the country or the time zone, else from the machine.',
    input: Type.Object({ tenantId: Type.String(), country: Text, currency: Text, timezone: Text }),
    output: Type.Object({ country: Type.String(), currency: Type.String(), timezone: Type.String() }),
    run: setRegion,
  }),
};

async function setRegion(
  ctx: SystemCtx,
  { tenantId, ...given }: { readonly tenantId: string } & Partial<Region>,
): Promise<Region> {
  await readValid(async (issues) => {
    checkRegion(given, issues);
    await checkTimeZone(ctx, given, issues);
  });
  const region = completeRegion(given);
  await writeRegion(ctx.central, tenantId, region);
  return region;
}
