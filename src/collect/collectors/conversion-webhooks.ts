import type { ConversionCallout, CustomResourceVersion } from '../../facts/callout.ts';
import type { Condition, Metadata } from '../../facts/objects/metadata.ts';
import { resources, toRead } from '../../facts/resource.ts';
import type { Right } from '../../facts/right.ts';
import { type Attempts, isRead } from '../attempts.ts';
import { clientConfig, type RawClientConfig } from './webhook-configurations.ts';

export const conversionRights: readonly Right[] = [
  toRead(resources.CustomResourceDefinition, ['list'], 'cluster', 'conversion webhooks'),
];

interface RawDefinition {
  readonly metadata: Metadata;
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly plural: string; readonly kind: string };
    readonly versions?: readonly CustomResourceVersion[];
    readonly conversion?: {
      readonly strategy?: string;
      readonly webhook?: {
        readonly clientConfig?: RawClientConfig;
        readonly conversionReviewVersions?: readonly string[];
      };
    };
  };
  readonly status?: {
    readonly storedVersions?: readonly string[];
    readonly conditions?: readonly Condition[];
  };
}

/** The callout of a CRD that converts by webhook; undefined for strategy None. The timeout is fixed at 30 s. */
export function conversionCallout({ metadata, spec, status }: RawDefinition): ConversionCallout | undefined {
  const { webhook, strategy } = spec.conversion ?? {};
  if (strategy !== 'Webhook') return undefined;
  return {
    kind: 'conversion',
    ref: { kind: 'CustomResourceDefinition', name: metadata.name },
    configuration: metadata.name,
    webhook: metadata.name,
    index: 0,
    metadata,
    client: clientConfig(webhook?.clientConfig),
    timeoutSeconds: 30,
    resource: { group: spec.group, plural: spec.names.plural, kind: spec.names.kind, scope: spec.scope },
    versions: (spec.versions ?? []).map(({ name, served, storage }) => ({ name, served, storage })),
    storedVersions: status?.storedVersions ?? [],
    conversionReviewVersions: webhook?.conversionReviewVersions ?? [],
    conditions: status?.conditions ?? [],
  };
}

const withoutSchemas = ({ spec, ...definition }: RawDefinition): RawDefinition => ({
  ...definition,
  spec: {
    ...spec,
    versions: (spec.versions ?? []).map(({ name, served, storage }) => ({ name, served, storage })),
  },
});

/** Reads the CRDs; nothing of their schemas is kept. */
export async function collectConversion(read: Attempts): Promise<readonly ConversionCallout[]> {
  const definitions = await read.list<RawDefinition>(resources.CustomResourceDefinition, {
    keep: withoutSchemas,
  });
  if (!isRead(definitions)) return [];
  return definitions.value.flatMap((definition) => conversionCallout(definition) ?? []);
}
