import { matchEvidence, requestsText } from '../../apiserver/admission/match-evidence.ts';
import {
  coveredIn,
  type VitalRequest,
  vital,
  vitalRequestsMatched,
} from '../../apiserver/admission/vital-request.ts';
import { type AdmissionCallout, closedWebhooks } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { certManager } from '../../facts/objects/cert-manager.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { workloadsMaking } from '../../facts/workloads/workloads.ts';
import { defineCheck } from '../check.ts';

/** True if the Pods get their configuration from a ConfigMap. */
const readsConfigMap = ({ spec: { template } }: Workload): boolean =>
  (template.spec.volumes ?? []).some(({ configMap }) => configMap !== undefined) ||
  template.spec.containers.some(({ envFrom = [] }) => JSON.stringify(envFrom).includes('configMapRef'));

const write = (groupVersion: string, resource: string, operation: 'CREATE' | 'UPDATE' = 'UPDATE') =>
  vital(operation, groupVersion, resource);
const writes = {
  workload: {
    Deployment: write('apps/v1', 'deployments'),
    ReplicaSet: write('apps/v1', 'replicasets'),
    StatefulSet: write('apps/v1', 'statefulsets'),
    DaemonSet: write('apps/v1', 'daemonsets'),
  },
  rollout: [write('apps/v1', 'deployments/scale'), write('apps/v1', 'replicasets', 'CREATE')],
  always: [write('v1', 'services'), write('v1', 'secrets')],
  configMap: write('v1', 'configmaps'),
  renewal: [
    write('cert-manager.io/v1', 'certificates'),
    write('cert-manager.io/v1', 'certificaterequests', 'CREATE'),
  ],
} as const;

/** The writes that are required to fix the backend, in its namespace. */
function repairs(
  { metadata }: AdmissionCallout,
  namespace: string,
  makers: readonly Workload[],
): readonly VitalRequest[] {
  const kinds = new Set(makers.length === 0 ? ['Deployment' as const] : makers.map(({ kind }) => kind));
  const source = metadata.annotations?.[certManager.injectFrom];
  return [
    ...[...kinds].map((kind) => writes.workload[kind]),
    ...(kinds.has('Deployment') ? writes.rollout : []),
    ...writes.always,
    ...(makers.some(readsConfigMap) ? [writes.configMap] : []),
    ...(source?.startsWith(`${namespace}/`) ? writes.renewal : []),
  ];
}

const controllersOf = (
  { client }: AdmissionCallout,
  { services, workloads }: Pick<Facts, 'services' | 'workloads'>,
): readonly Workload[] => {
  if (client.service === undefined) return [];
  const key = keyOf(client.service);
  const service = services.getIfKnown(key);
  const { namespace } = client.service;
  const here = workloads.getIfKnown(namespace) ?? [];
  return workloadsMaking(service?.spec.selector, here);
};

export const coversOwnConfigurationPath = defineCheck({
  meta: {
    id: 'covers-own-configuration-path',
    title: 'Webhook intercepts writes that would repair its backend',
    severity: 'warning',
    why: 'To repair a backend, users scale or change its workload, or renew the Secret with its certificate. If the webhook has failurePolicy Fail and matches these objects in its own namespace, each such write is refused until it responds again.',
    advice:
      '[end] Exclude the namespace of the webhook by namespaceSelector (`kubernetes.io/metadata.name NotIn`). [end] In an outage set failurePolicy to Ignore first: `kubectl edit {kind} {configuration}` (webhook configurations are never sent to webhooks).',
    messages: {
      covered:
        '{webhook} intercepts {requests} in its own namespace {namespace}: while it is down, these writes are refused',
    },
    follows: ['bootstrap-deadlock', 'covers-everything'],
    references: [
      '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#avoid-self-mutation',
    ],
  },
  requires: ['version', 'callouts', 'services', 'workloads', 'namespaces', 'served'],
  subjects: (facts) => closedWebhooks(facts).filter(({ client }) => client.service !== undefined),
  run(callout, facts, find) {
    const { webhook, client } = callout;
    if (client.service === undefined) return;
    const { namespace } = client.service;
    const needed = repairs(callout, namespace, controllersOf(callout, facts));
    const covered = coveredIn(callout, needed, () => namespace);
    const matched = vitalRequestsMatched(callout, covered, facts);
    if (matched.length === 0) return;
    const requests = requestsText(matched.map(({ about }) => about));
    return find('covered', { requests, namespace, webhook }, matchEvidence(callout, matched));
  },
});
