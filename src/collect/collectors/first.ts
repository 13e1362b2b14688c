import { isRead } from '../attempts.ts';
import { defineCollector } from '../collector.ts';
import { served } from './api-server/discovery.ts';
import { namespaces } from './cluster/namespaces.ts';
import { endpointSlices, services } from './networking/services.ts';
import { aggregatedApiPermissions, collectAggregatedApis } from './registration/api-services.ts';
import { collectConversion, conversionPermissions } from './registration/conversion-webhooks.ts';
import { admissionOf, admissionPermissions, configurations } from './registration/webhook-configurations.ts';

const version = defineCollector({
  fact: 'version',
  needs: [],
  permissions: [],
  otherwise: undefined,
  async readAll(access) {
    const answer = await access.raw<{ readonly gitVersion?: string }>('/version');
    return isRead(answer) ? answer.value?.gitVersion : undefined;
  },
});

const callouts = defineCollector({
  fact: 'callouts',
  needs: [],
  permissions: [...admissionPermissions, ...conversionPermissions, ...aggregatedApiPermissions],
  otherwise: [],
  async readAll(access) {
    const [admission, conversion, aggregated] = await Promise.all([
      admissionOf(access),
      collectConversion(access),
      collectAggregatedApis(access),
    ]);
    return [...admission.callouts, ...conversion, ...aggregated];
  },
});

/** The collectors that start every run: ten requests, and further pages, in parallel, for any cluster. */
export const firstCollectors = {
  version,
  callouts,
  configurations,
  services,
  endpointSlices,
  namespaces,
  served,
} as const;

/** One of the facts that every run reads. */
export type FirstFact = keyof typeof firstCollectors;
