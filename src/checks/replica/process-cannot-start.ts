import { hasFailed, probeFacts, usableEndpoints } from '../../apiserver/connection/probed.ts';
import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { calloutId } from '../../facts/callout.ts';
import { workloadArgument, workloadOfPod } from '../../facts/workloads.ts';
import { backendPodFacts, badReplicas, type PodWithState, podEvidence } from '../../pods/bad-replicas.ts';
import { loggedCause } from '../../pods/logged-cause.ts';
import { defineCheck } from '../check.ts';

/** States in which the process of a Pod may be unable to start its server. */
const isUnserving = ({ state }: PodWithState): boolean =>
  ['crash-looping', 'not-ready'].includes(state.state);

export const processCannotStart = defineCheck({
  meta: {
    id: 'process-cannot-start',
    link: 'replica',
    title: 'Process cannot start its webhook server',
    severity: 'error',
    consequence: 'failing',
    explains: {
      'port-or-file-denied': 1,
      'program-missing': 2,
      'certificate-file-missing': 2,
      'key-pair-unreadable': 3,
      'lease-not-held': 6,
    },
    why: 'The log of the container reports why its webhook server does not start. Until that is fixed, the process exits, or runs without a listening port.',
    advice:
      'A port below 1024: use one above 1023, and set `targetPort` of the Service to it: `kubectl -n {namespace} edit {listener}`. The inotify limit: raise the sysctl `fs.inotify.max_user_instances` (or `max_user_watches`) on the node: `kubectl describe node {limited}`. Another architecture: use an image that is built for the node: `kubectl get node {foreign} -L kubernetes.io/arch`. Unsupported arguments: use image, arguments and configuration of the same release of the product: `kubectl -n {namespace} edit {configured}`. A kind that is not served: install its CRD, or turn off the feature that needs it, then restart the Pods: `kubectl -n {namespace} rollout restart {needing}`. A missing certificate file: mount the Secret with certificate and key at its directory, or turn off webhooks in the program: `kubectl -n {namespace} edit {reader}`. A Secret that cannot be loaded: write certificate and key into it as PEM, or, if a controller fills it, delete it: `kubectl -n {namespace} delete secret {unreadable}`. A leader lock of another Pod: delete that Pod: `kubectl -n {namespace} delete pod {holder} --force --grace-period=0`.',
    messages: {
      port: '{pods} cannot listen on port {what}: below 1024, a process needs root or the capability NET_BIND_SERVICE',
      limit: '{pods} cannot watch files: the node allows no more inotify instances or open files',
      architecture: 'The image of {pods} is built for another processor architecture than the node',
      argument: 'The program in {pods} does not support its arguments or configuration: {what}',
      kind: '{pods} cannot start: the API server does not serve kind {what} of {detail}',
      removed:
        '{pods} write webhook configurations in a version that this API server does not serve: v1beta1 was removed in 1.22',
      unmounted: 'The program in {pods} reads {what}, and no volume is mounted there',
      elsewhere: 'The program in {pods} reads {what}, but {detail}',
      keyPair: 'Secret {what} contains no certificate and key that {pods} can load: {detail}',
      lock: 'Pod {what} ({detail}) still holds the leader lock, and without it no process in {pods} serves',
    },
    follows: [
      'pods-cannot-reach-api-server',
      'service-account-lacks-rights',
      'serving-secret-missing',
      'serving-secret-incomplete',
      'serving-secret-mismatched-key',
      'certificate-job-failed',
      'certificate-not-issued',
      'host-network-port-conflict',
    ],
    references: ['/docs/tasks/debug/debug-application/determine-reason-pod-failure/'],
  },
  requires: [...new Set([...backendPodFacts, ...probeFacts, 'logs' as const, 'served' as const])],
  subjects: examinedBackends,
  run(backend, facts, find) {
    const { callout, ref } = backend;
    const isProbed = facts.probes.known(calloutId(callout));
    const usable = isProbed ? usableEndpoints({ ref, callout }, facts) : [];
    const isClosed =
      usable.length > 0 && usable.every((one) => hasFailed(one) && one.callResult.fault === 'refused');
    const bad = badReplicas(
      backend,
      facts,
      (one) => (isClosed || isUnserving(one)) && loggedCause(one.pod, facts) !== undefined,
    );
    if (bad === undefined || (bad.extent !== 'all' && !isClosed)) return undefined;
    const { pod } = bad.first;
    const logged = loggedCause(pod, facts);
    if (logged === undefined) return undefined;
    const { cause, what, detail } = logged;
    const workload = workloadArgument(workloadOfPod(pod)) ?? `pod/${pod.metadata.name}`;
    const ifCause = (value: string | undefined, ...causes: readonly string[]) =>
      causes.includes(cause) ? value : undefined;
    const names = {
      listener: ifCause(workload, 'port'),
      limited: ifCause(pod.spec.nodeName, 'limit'),
      foreign: ifCause(pod.spec.nodeName, 'architecture'),
      configured: ifCause(workload, 'argument', 'removed'),
      needing: ifCause(workload, 'kind'),
      reader: ifCause(workload, 'unmounted', 'elsewhere'),
      unreadable: ifCause(what, 'keyPair'),
      holder: ifCause(what, 'lock'),
    };
    return find(cause, { pods: bad.pods, what, detail }, podEvidence(bad.each), names);
  },
});
