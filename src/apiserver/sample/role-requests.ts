import type { AdmissionCallout } from '../../facts/callout.ts';
import { groupResourceOf } from '../../facts/resource.ts';
import type { SampleRole } from '../../facts/sample.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';
import { type MatchFacts, matchRequest } from '../admission/match.ts';
import { labelsFor, namespacesFor, requestFor } from './sample-request.ts';
import { testObjectName } from './test-object.ts';

/** A request with a test object that has a part in the cluster. */
export interface RoleRequest {
  readonly request: AdmissionRequest;
  readonly role?: SampleRole;
}

type Parts = Record<'metadata' | 'spec', Readonly<Record<string, unknown>>>;

const ownedBy = (kind: string, apiVersion: string) => [
  { apiVersion, kind, name: testObjectName, uid: testObjectName, controller: true },
];

/**
 * The request of a kubelet that creates the mirror Pod of a static Pod, instead of a Pod: it has no ServiceAccount
 * (pkg/kubelet/pod/mirror_client.go). It is one of the control plane, as these are the usual static Pods. Empty if the
 * webhook is not called for it.
 */
export function mirrorPodRequest(
  callout: AdmissionCallout,
  facts: MatchFacts,
  version: string | undefined,
  ofPod: AdmissionRequest,
): readonly RoleRequest[] {
  if (ofPod.operation !== 'CREATE' || groupResourceOf(ofPod) !== 'pods') return [];
  const { metadata, spec, ...type } = ofPod.object as Parts;
  const { serviceAccountName: _, ...rest } = spec;
  const of = (key: string, value: string) => [`kubernetes.io/config.${key}`, value] as const;
  const annotations = Object.fromEntries([
    ...['hash', 'mirror', 'seen'].map((key) => of(key, testObjectName)),
    of('source', 'file'),
  ]);
  const namespace = 'kube-system';
  const request = {
    ...ofPod,
    namespace,
    user: { username: `system:node:${testObjectName}`, groups: ['system:nodes', 'system:authenticated'] },
    object: {
      ...type,
      metadata: { ...metadata, namespace, annotations, ownerReferences: ownedBy('Node', 'v1') },
      spec: {
        ...rest,
        hostNetwork: true,
        nodeName: testObjectName,
        tolerations: [{ operator: 'Exists', effect: 'NoExecute' }],
      },
    },
  };
  return matchRequest(callout, request, facts, version).outcome === 'called'
    ? [{ request, role: 'mirror-pod' }]
    : [];
}

/** The label by which a Deployment distinguishes its ReplicaSets. */
export const hashLabel = 'pod-template-hash';

/**
 * The creation of a ReplicaSet by its Deployment, and that of the Deployment, with the same Pod template; each only if
 * the webhook is called for it. Empty without the ReplicaSet.
 */
export function ownedReplicaSet(
  callout: AdmissionCallout,
  facts: MatchFacts,
  version: string | undefined,
): readonly RoleRequest[] {
  const served = facts.served.getIfKnown('served')?.resources ?? [];
  const [namespace] = namespacesFor(callout, facts);
  const labels = labelsFor(callout.objectSelector) ?? {};
  const created = (resource: string) =>
    served
      .filter((one) => one.group === 'apps' && one.resource === resource && one.verbs.includes('create'))
      .slice(0, 1)
      .map((one) => requestFor({ served: one, operation: 'CREATE' }, namespace, labels));
  const owned = created('replicasets').map((request): AdmissionRequest => {
    const { metadata, spec, ...type } = request.object as Parts;
    const { template } = spec as { readonly template: { readonly metadata: { readonly labels: object } } };
    const hashed = { ...template.metadata.labels, [hashLabel]: testObjectName };
    return {
      ...request,
      user: {
        username: 'system:serviceaccount:kube-system:deployment-controller',
        groups: ['system:authenticated'],
      },
      object: {
        ...type,
        metadata: { ...metadata, ownerReferences: ownedBy('Deployment', 'apps/v1') },
        spec: {
          ...spec,
          selector: { matchLabels: hashed },
          template: { ...template, metadata: { labels: hashed } },
        },
      },
    };
  });
  const isCalled = (request: AdmissionRequest): boolean =>
    matchRequest(callout, request, facts, version).outcome === 'called';
  if (!owned.some(isCalled)) return [];
  return [
    ...owned.map((request) => ({ request, role: 'owned-replicaset' as const })),
    ...created('deployments')
      .filter(isCalled)
      .map((request) => ({ request, role: 'owner-of-replicaset' as const })),
  ];
}
