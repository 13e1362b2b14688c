import { impactOf } from '../../apiserver/admission/impact.ts';
import type { AdmissionCallout } from '../../facts/callout.ts';
import { selects } from '../../facts/objects/label-selector.ts';
import { groupOf } from '../../facts/resource.ts';
import type { Facts } from '../../facts/snapshot.ts';

/** A test object: a dry run of its creation shows the result of the webhooks that match it. */
export interface TestDryRun {
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

/** Test objects of kinds that webhooks often match; only sent in dry runs, never stored. */
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

/** A test object whose creation certainly matches the webhook; undefined if there is none. */
export function trialFor(
  callout: AdmissionCallout,
  facts: Pick<Facts, 'namespaces' | 'served'>,
): TestDryRun | undefined {
  const namespace = facts.namespaces
    .all()
    .find(
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
