import { calledWith, reviewsTo } from '../../apiserver/connection/called-with.ts';
import { type ProbeFacts, probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import {
  namesText,
  probedEndpointEvidence,
  usableEndpoints,
} from '../../apiserver/connection/probed-endpoints.ts';
import { isJsonObject } from '../../basics/collections.ts';
import type { Callout } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { briefEnd } from '../../phrases/brief.ts';
import { notMirrorPod } from '../../phrases/exempting-expressions.ts';
import { listed } from '../../phrases/lists.ts';
import { replicaErrorText } from '../../pods/gate-text.ts';
import { defineCheck } from '../check.ts';

/** Fields that refer to objects which a mirror Pod may not refer to (plugin/pkg/admission/{serviceaccount,noderestriction}). */
const references = [
  'serviceAccountName',
  'imagePullSecrets',
  'secret',
  'secretKeyRef',
  'secretRef',
  'configMap',
  'configMapKeyRef',
  'configMapRef',
  'serviceAccountToken',
  'persistentVolumeClaim',
];

/** The references in the spec of a Pod, by the name of their field. */
function referencesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    references.includes(key) && one !== '' ? [key] : referencesIn(one),
  );
}

/** The servers that were called with a mirror Pod; empty if one of them does not admit another Pod. */
function calledWithMirror(callout: Callout, facts: ProbeFacts & Pick<Facts, 'samples'>) {
  const called = calledWith(callout, facts);
  const ofPods = called.map(({ sample, facts: seen }) => {
    const servers = usableEndpoints(callout, seen);
    const reviews = servers.flatMap((server) => reviewsTo(server, callout, seen));
    const isOfPods = reviews.some(({ resource, operation }) => resource === 'pods' && operation === 'CREATE');
    return {
      servers: isOfPods ? servers : [],
      isMirror: sample?.role === 'mirror-pod',
      by: sample?.by ?? 'made-up',
    };
  });
  const admitted = ofPods.some(
    ({ servers, isMirror, by }) =>
      !isMirror &&
      by === 'made-up' &&
      servers.length > 0 &&
      servers.every(({ callResult }) => callResult.outcome === 'answers'),
  );
  return admitted ? (ofPods.find(({ isMirror }) => isMirror)?.servers ?? []) : [];
}

/** True if the control plane consists of static Pods. Managed clusters may have none. */
const hasMirrorPods = ({ apiServerPods }: Pick<Facts, 'apiServerPods'>): boolean =>
  apiServerPods
    .getIfKnown('kube-apiserver')
    ?.some(({ metadata }) => Object.hasOwn(metadata.annotations ?? {}, 'kubernetes.io/config.mirror')) ===
  true;

export const mirrorPodsRefused = defineCheck({
  meta: {
    id: 'mirror-pods-refused',
    title: 'Static Pods get no mirror Pod because of a webhook',
    severity: 'warning',
    confidence: 'observed',
    why: 'A static Pod runs without the API server, and its kubelet creates a mirror Pod that shows it. A webhook can deny that request or add a reference that the API server refuses. Then the Pod runs, but no client, Service or drain sees it.',
    advice: `[end] Exclude mirror Pods by \`matchConditions\`, with the expression \`${notMirrorPod}\`, or exclude their namespace: \`kubectl edit {kind} {configuration}\`. [end] Or correct the program: such a Pod has no ServiceAccount. [with] The kubelet repeats the request.`,
    noRemedy: 'in-the-server',
    messages: {
      denied: '{replicas} denied the mirror Pod of a static Pod, but admits other Pods: {detail}',
      changed:
        'The patch of {replicas} adds {fields} to the mirror Pod of a static Pod, which the API server then refuses',
    },
    references: ['/docs/tasks/configure-pod-container/static-pod/'],
  },
  requires: [...probeFacts, 'samples', 'apiServerPods'],
  subjects: probedCallouts,
  run(callout, facts, find) {
    const servers = calledWithMirror(callout, facts);
    const [first] = servers;
    if (first === undefined) return undefined;
    const replicas = namesText(servers);
    const evidence = servers.map((one) => probedEndpointEvidence(callout, one, replicaErrorText(one)));
    const severity = hasMirrorPods(facts) ? {} : ({ severity: 'info' } as const);
    if (servers.every(({ callResult }) => callResult.outcome === 'denies')) {
      const detail = briefEnd(replicaErrorText(first));
      return { ...find('denied', { replicas, detail }, evidence), ...severity };
    }
    const fields = servers.map(({ callResult }) =>
      callResult.outcome === 'answers' && callResult.answer?.outcome === 'allowed'
        ? referencesIn((callResult.answer.patched as { readonly spec?: unknown } | undefined)?.spec)
        : [],
    );
    return fields.every((some) => some.length > 0)
      ? { ...find('changed', { replicas, fields: listed(new Set(fields.flat())) }, evidence), ...severity }
      : undefined;
  },
});
