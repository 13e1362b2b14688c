import { impactOf } from '../../apiserver/admission/impact.ts';
import type { AdmissionCallout } from '../../facts/callout.ts';
import { selects } from '../../facts/label-selector.ts';
import type { Facts } from '../../facts/snapshot.ts';

/** An object that could be made: what the API server says of making it, it says of the webhooks that stand before it. */
export interface Trial {
  /** `a ConfigMap in namespace shop`. */
  readonly what: string;
  readonly path: string;
  readonly body: object;
}

interface Sample {
  readonly kind: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly rest: object;
}

const labels = { app: 'kubectl-webhook-trial' };
const podSpec = { containers: [{ name: 'trial', image: 'registry.k8s.io/pause' }] };

/** Small objects of kinds that webhooks stand before; none of them is ever stored. */
const samples: readonly Sample[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', resource: 'configmaps', rest: {} },
  { apiVersion: 'v1', kind: 'ServiceAccount', resource: 'serviceaccounts', rest: {} },
  { apiVersion: 'v1', kind: 'Service', resource: 'services', rest: { spec: { ports: [{ port: 443 }] } } },
  { apiVersion: 'v1', kind: 'Pod', resource: 'pods', rest: { spec: podSpec } },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    resource: 'deployments',
    rest: { spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } } },
  },
];

const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';

/** An object whose making the webhook is asked about for sure; undefined when none of the small ones is. */
export function trialFor(
  callout: AdmissionCallout,
  facts: Pick<Facts, 'namespaces' | 'served'>,
): Trial | undefined {
  const namespace = [...facts.namespaces.all()].find(
    ({ metadata, status }) =>
      status?.phase !== 'Terminating' && selects(callout.namespaceSelector, metadata.labels ?? {}),
  )?.metadata.name;
  if (namespace === undefined) return undefined;
  const requests = samples.map((sample) => ({
    sample,
    request: {
      operation: 'CREATE' as const,
      group: groupOf(sample.apiVersion),
      version: 'v1',
      resource: sample.resource,
      namespace,
    },
  }));
  const sample = impactOf(callout, requests, facts).matched[0]?.about.sample;
  if (sample === undefined) return undefined;
  const { apiVersion, kind, resource, rest } = sample;
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return {
    what: `a ${kind} in namespace ${namespace}`,
    path: `${root}/namespaces/${encodeURIComponent(namespace)}/${resource}`,
    body: { apiVersion, kind, metadata: { generateName: 'kubectl-webhook-trial-' }, ...rest },
  };
}
