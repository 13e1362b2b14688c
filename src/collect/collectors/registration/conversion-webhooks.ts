import type { ConversionCallout } from '../../../facts/callout.ts';
import { conversionCallout, type DefinitionObject } from '../../../facts/callout-of.ts';
import { type Permission, resources, toRead } from '../../../facts/resource.ts';
import { type Attempts, isRead } from '../../attempts.ts';

/** The permissions for reads of conversion webhooks. */
export const conversionPermissions: readonly Permission[] = [
  toRead(resources.CustomResourceDefinition, ['list'], 'cluster', 'conversion webhooks'),
];

const withoutSchemas = ({ spec, ...definition }: DefinitionObject): DefinitionObject => ({
  ...definition,
  spec: {
    ...spec,
    versions: (spec.versions ?? []).map(({ name, served, storage }) => ({ name, served, storage })),
  },
});

/** Reads the CRDs. Their schemas are not kept. */
export async function collectConversion(read: Attempts): Promise<readonly ConversionCallout[]> {
  const definitions = await read.list<DefinitionObject>(resources.CustomResourceDefinition, {
    keep: withoutSchemas,
  });
  if (!isRead(definitions)) return [];
  return definitions.value.flatMap((definition) => conversionCallout(definition) ?? []);
}
