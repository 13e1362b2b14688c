import type { AggregatedApiCallout } from '../../facts/callout.ts';
import type { Condition, Metadata } from '../../facts/objects/metadata.ts';
import { resources, toRead } from '../../facts/resource.ts';
import type { Right } from '../../facts/right.ts';
import { type Attempts, isRead } from '../attempts.ts';

export const aggregatedApiRights: readonly Right[] = [
  toRead(resources.APIService, ['list'], 'cluster', 'APIServices, and whether they are available'),
];

interface RawApiService {
  readonly metadata: Metadata;
  readonly spec: {
    readonly group?: string;
    readonly version?: string;
    readonly caBundle?: string;
    readonly insecureSkipTLSVerify?: boolean;
    readonly service?: { readonly namespace?: string; readonly name?: string; readonly port?: number } | null;
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** The callout of an APIService that a Service serves; undefined for local ones, which nobody calls. */
export function aggregatedApiCallout({
  metadata,
  spec,
  status,
}: RawApiService): AggregatedApiCallout | undefined {
  const { service } = spec;
  if (service?.name === undefined || service.namespace === undefined) return undefined;
  return {
    kind: 'aggregated-api',
    ref: { kind: 'APIService', name: metadata.name },
    configuration: metadata.name,
    webhook: metadata.name,
    index: 0,
    metadata,
    client: {
      service: { namespace: service.namespace, name: service.name, port: service.port ?? 443 },
      ...(spec.caBundle === undefined ? {} : { caBundle: spec.caBundle }),
    },
    timeoutSeconds: 5,
    group: spec.group ?? '',
    version: spec.version ?? '',
    insecureSkipTLSVerify: spec.insecureSkipTLSVerify ?? false,
    conditions: status?.conditions ?? [],
  };
}

/** APIServices that a Service serves; none where the list could not be read. */
export async function collectAggregatedApis(read: Attempts): Promise<readonly AggregatedApiCallout[]> {
  const services = await read.list<RawApiService>(resources.APIService);
  return isRead(services) ? services.value.flatMap((service) => aggregatedApiCallout(service) ?? []) : [];
}
