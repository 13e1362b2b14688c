import type { AdmissionRequest } from '../../apiserver/admission/admission-request.ts';
import { mayCover } from '../../apiserver/admission/impact.ts';
import { matchRequest } from '../../apiserver/admission/match.ts';
import { selectedNamespaces } from '../../apiserver/admission/selected-namespaces.ts';
import { withUnknownLabels } from '../../apiserver/admission/unknown-labels.ts';
import {
  foreseenByService,
  foreseenByWorkload,
  kubelet,
  requestText,
  scheduler,
} from '../../apiserver/deadlock/admission-path.ts';
import { type Bootstrap, bootstrapOf } from '../../apiserver/deadlock/bootstrap.ts';
import { defined } from '../../basics/collections.ts';
import type { Implication } from '../../checks/check.ts';
import { type AdmissionCallout, isServiceBacked } from '../../facts/callout.ts';
import { keyOf, refText } from '../../facts/object-ref.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { workloadsMaking } from '../../facts/workloads/workloads.ts';
import { refusedBy } from '../../pods/refused-pods.ts';
import type { ImpactReport, StoppedWork } from '../report.ts';

/** Work that every cluster does, and the request for it. */
interface Work {
  readonly what: string;
  readonly request: AdmissionRequest;
  /** The harm while the request is refused: what the cluster cannot do. */
  readonly harm?: string;
  /** Controllers create no Pods without it. */
  readonly makesPods?: true;
}

const work = (
  what: string,
  operation: AdmissionRequest['operation'],
  path: string,
  over: Partial<AdmissionRequest> & Pick<Work, 'harm' | 'makesPods'>,
): Work => {
  const [resource = '', subresource] = path.split('/');
  const { harm, makesPods, ...rest } = over;
  const request = { operation, group: '', version: 'v1', resource, moreLabels: true, ...rest };
  return {
    what,
    request: subresource === undefined ? request : { ...request, subresource },
    ...defined({ harm, makesPods }),
  };
};

const lease = { group: 'coordination.k8s.io', kind: 'Lease', moreLabels: false };
/** Every namespace has the ConfigMap kube-root-ca.crt, so its deletion includes that of a ConfigMap. */
export const namespacesNotDeletable = 'namespaces cannot be deleted';
const works: readonly Work[] = [
  work('new Pods', 'CREATE', 'pods', { kind: 'Pod', makesPods: true }),
  work('rollouts', 'CREATE', 'replicasets', { group: 'apps', kind: 'ReplicaSet', makesPods: true }),
  work('new Jobs', 'CREATE', 'jobs', { group: 'batch', kind: 'Job', makesPods: true }),
  work('changes of Deployments', 'UPDATE', 'deployments', { group: 'apps', kind: 'Deployment' }),
  work('scheduling', 'CREATE', 'pods/binding', {
    kind: 'Binding',
    user: scheduler,
    moreLabels: false,
    harm: 'no Pod can be scheduled',
  }),
  work('the status of Pods', 'UPDATE', 'pods/status', {
    kind: 'Pod',
    user: kubelet,
    harm: 'no Pod becomes Ready',
  }),
  work('tokens of ServiceAccounts', 'CREATE', 'serviceaccounts/token', {
    kind: 'TokenRequest',
    moreLabels: false,
    harm: 'new Pods get no token',
  }),
  work('drains', 'CREATE', 'pods/eviction', {
    kind: 'Eviction',
    moreLabels: false,
    harm: 'nodes cannot be drained',
  }),
  work('kubectl exec', 'CONNECT', 'pods/exec', { kind: 'PodExecOptions', moreLabels: false }),
  work('new ConfigMaps', 'CREATE', 'configmaps', { kind: 'ConfigMap' }),
  work('new Secrets', 'CREATE', 'secrets', { kind: 'Secret' }),
  work('new Services', 'CREATE', 'services', { kind: 'Service' }),
  work('endpoints of Services', 'UPDATE', 'endpointslices', {
    group: 'discovery.k8s.io',
    kind: 'EndpointSlice',
    harm: 'endpoints of Services are not updated',
  }),
  work('new namespaces', 'CREATE', 'namespaces', { kind: 'Namespace', namespace: 'any' }),
  work('heartbeats of nodes', 'UPDATE', 'leases', {
    ...lease,
    namespace: 'kube-node-lease',
    user: kubelet,
    harm: 'nodes cannot report heartbeats',
  }),
  work('leader election of the control plane', 'UPDATE', 'leases', {
    ...lease,
    namespace: 'kube-system',
    user: scheduler,
    harm: 'the control plane cannot renew its leader election',
  }),
  work('deletion of Pods', 'DELETE', 'pods', { kind: 'Pod', user: kubelet, harm: 'Pods stay Terminating' }),
  work('deletion of ConfigMaps', 'DELETE', 'configmaps', { kind: 'ConfigMap', harm: namespacesNotDeletable }),
  work('deletion of namespaces', 'DELETE', 'namespaces', { kind: 'Namespace', harm: namespacesNotDeletable }),
];

const workNamed: ReadonlyMap<string, Work> = new Map(works.map((one) => [one.what, one]));

/** The harm while this work is stopped: what the cluster cannot do. */
export const impactTexts = (stops: readonly StoppedWork[]): readonly string[] =>
  stops.flatMap(({ what, which }) => (which === 'all' ? (workNamed.get(what)?.harm ?? []) : []));

/** Whether namespaces cannot be deleted while this work is stopped. */
export const stopsDeletion = ({ what, which }: StoppedWork): boolean =>
  which === 'all' && workNamed.get(what)?.harm === namespacesNotDeletable;

/** The work that the rules match. One namespace represents all selected ones: rules do not differ. */
function stoppedWork(
  callout: AdmissionCallout,
  covered: readonly string[],
  facts: Facts,
): readonly StoppedWork[] {
  const [representative] = covered;
  return works.flatMap(({ what, request }) => {
    if (!mayCover(callout, request)) return [];
    const namespace = request.namespace ?? representative;
    if (namespace === undefined) return [];
    const { outcome } = matchRequest(callout, { ...withUnknownLabels(request, callout), namespace }, facts);
    if (outcome !== 'called' && outcome !== 'unknown') return [];
    return [{ what, request: requestText(request), which: outcome === 'called' ? 'all' : 'some' }];
  });
}

type Back = Pick<ImpactReport, 'comesBack' | 'comesBackBecause'>;

const passesBy: Readonly<Record<Extract<Bootstrap, { outcome: 'free' }>['by'], string>> = {
  'virtual-resource': 'the API server never calls it for them',
  'admission-configuration': 'the API server never calls it for them',
  'namespace-selector': 'its namespaceSelector excludes them',
  'object-selector': 'its objectSelector excludes them',
  rules: 'its rules do not match them',
  'match-conditions': 'its matchConditions exclude them',
  'fails-open': 'it fails open',
};

/** Predicts whether the Pods of its workload, or else of its Service, can be created again. */
function recovers(callout: AdmissionCallout, facts: Facts): Back {
  if (!isServiceBacked(callout)) return {};
  const key = keyOf(callout.client.service);
  const service = facts.services.getIfKnown(key);
  const selector = service?.spec.selector ?? {};
  if (service === undefined || Object.keys(selector).length === 0) return {};
  const { namespace } = callout.client.service;
  const workloads = facts.workloads.getIfKnown(namespace) ?? [];
  const [workload, ...others] = workloadsMaking(selector, workloads);
  const pod =
    workload === undefined || others.length > 0
      ? foreseenByService(service)
      : foreseenByWorkload(workload, service);
  const found = bootstrapOf(callout, pod, facts);
  if (found.outcome === 'free') return { comesBack: 'yes', comesBackBecause: passesBy[found.by] };
  return { comesBack: found.outcome === 'blocked' ? 'no' : 'unknown' };
}

/**
 * Reports what a webhook that fails closed blocks, what it has already blocked, and whether its own Pods can
 * be created again.
 *
 * @param implied what the findings imply: `no-way-back` that its Pods cannot be created, even if this webhook does not
 * match them; `refused-anyway` that its denials are a fault.
 */
export function impactReport(
  callout: AdmissionCallout,
  implied: readonly (Implication | undefined)[],
  facts: Facts,
): ImpactReport {
  const covered = selectedNamespaces(callout, facts);
  const back: Back = implied.includes('no-way-back') ? { comesBack: 'no' } : recovers(callout, facts);
  const stops = stoppedWork(callout, covered, facts);
  const isRead = facts.failedCreateEvents.known('FailedCreate');
  const refused = isRead ? refusedBy(callout, facts) : [];
  const blocked = refused.filter(
    ({ blame: { error } }) => error.kind !== 'denial' || implied.includes('refused-anyway'),
  );
  const isNone = isRead && refused.length === 0 && stops.some(({ what }) => workNamed.get(what)?.makesPods);
  return {
    stops,
    namespaces: { covered: covered.length, total: facts.namespaces.size },
    ...(blocked.length === 0 && !isNone
      ? {}
      : {
          blocked: blocked.map(({ workload, missing, since }) => ({
            object: refText(workload),
            missing,
            ...(since === undefined ? {} : { since }),
          })),
        }),
    ...back,
  };
}
