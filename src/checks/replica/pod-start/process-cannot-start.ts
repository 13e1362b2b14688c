import { reportedAlert } from '../../../apiserver/connection/handshake-alerts.ts';
import { probeFacts } from '../../../apiserver/connection/probed-callouts.ts';
import { hasFailed, usableEndpoints } from '../../../apiserver/connection/probed-endpoints.ts';
import type { ProbedEndpoint } from '../../../apiserver/connection/probed-servers.ts';
import { examinedBackends } from '../../../apiserver/routing/backends.ts';
import { type Callout, calloutId } from '../../../facts/callout.ts';
import { keyOf } from '../../../facts/object-ref.ts';
import { certManager } from '../../../facts/objects/cert-manager.ts';
import type { CertificateSecret } from '../../../facts/objects/certificate-secret.ts';
import { holdsNoCertificate } from '../../../facts/objects/certificate-secret.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { lastingContainers } from '../../../facts/workloads/container-crash.ts';
import { knownPods } from '../../../facts/workloads/replicas.ts';
import { controllerOf, workloadArgument, workloadOfPod } from '../../../facts/workloads/workloads.ts';
import {
  backendPodFacts,
  badReplicas,
  type PodWithState,
  podEvidence,
  podsWithState,
} from '../../../pods/bad-replicas.ts';
import { isWrongPort, podByName, portInLog } from '../../../pods/listening.ts';
import type { LoggedCause } from '../../../pods/log-reader.ts';
import { loggedCause } from '../../../pods/logged-cause.ts';
import { rotatedSecret } from '../../../products/serving-material.ts';
import { defineCheck } from '../../check.ts';

/** States in which the process of a Pod may be unable to start its server. */
const isUnserving = ({ state }: PodWithState): boolean =>
  ['crash-looping', 'not-ready'].includes(state.state);

/** True if none of these Pods serves, and all others are of another revision: a rollout that does not end. */
function areOfAnotherRevision(bad: readonly PodWithState[], all: readonly PodWithState[]): boolean {
  const revisionOf = ({ pod }: PodWithState) => controllerOf(pod.metadata)?.name;
  const broken = new Set(bad.map(({ pod }) => pod.metadata.name));
  const revisions = new Set(bad.map(revisionOf));
  const others = all.filter(({ pod }) => !broken.has(pod.metadata.name));
  return bad.every(isUnserving) && others.every((one) => !revisions.has(revisionOf(one)));
}

/** True for a closed port, unless the process has started a server on another port, by its settings or its log. */
function isUnopened(
  endpoint: ProbedEndpoint,
  callout: Callout,
  facts: Pick<Facts, 'pods' | 'logs'>,
): boolean {
  if (!hasFailed(endpoint) || endpoint.callResult.fault !== 'refused') return false;
  const pods = knownPods(callout, facts);
  const pod = podByName(endpoint.pod, pods);
  const tried = endpoint.probe?.port;
  const served = pod && portInLog(pod, tried, facts);
  return !isWrongPort(endpoint, pods) && (served === undefined || served === tried);
}

/** Alerts of servers without a usable certificate: of Go, OpenSSL and Node, and of servers that select by name. */
const alertsWithout = ['internal error', 'handshake failure', 'unrecognized name'];
/** Reasons in a log for which a server that listens has no certificate. */
const ofCertificate: readonly LoggedCause['cause'][] = [
  'unmounted',
  'elsewhere',
  'items',
  'keys',
  'absent',
  'unreadable',
  'keyPair',
  'encrypted',
  'removed',
  'misnamed',
];

/**
 * The program that creates this Secret of the backend if it is missing; undefined if none is known, or if the Secret
 * may contain a certificate, or cert-manager fills it.
 */
function creatorOf(callout: Callout, { what, detail }: LoggedCause, found: CertificateSecret | undefined) {
  const { secret, onlyFills, authorityOnly, by } = rotatedSecret(callout) ?? {};
  if (secret !== what || onlyFills === true || authorityOnly === true) return undefined;
  const isEmpty =
    found === undefined
      ? detail.endsWith('in certificate input')
      : holdsNoCertificate(found) && found.metadata.annotations?.[certManager.certificateName] === undefined;
  return isEmpty ? by : undefined;
}

const mountOrTurnOff =
  '[end] Mount the Secret with certificate and key at the directory of the file, or turn off webhooks in the program: `kubectl -n {namespace} edit {workload}`.';

export const processCannotStart = defineCheck({
  meta: {
    id: 'process-cannot-start',
    title: 'Process cannot start its server',
    consequence: 'failing',
    why: 'The log of the container reports why its server does not start. Until that is fixed, the process exits, or runs without a listening port.',
    advice:
      '[end] Fix the problem that the message names. [look] Read the log lines around the message: `kubectl -n {namespace} logs {workload}`.',
    messages: {
      port: {
        text: '{pods} cannot listen on port {what}: below 1024, a process needs root or the capability NET_BIND_SERVICE',
        advice:
          '[end] Use a port above 1023, and set `targetPort` of the Service to it: `kubectl -n {namespace} edit {workload}`. [end] If the port of the program is fixed, add the capability NET_BIND_SERVICE to its `securityContext`, and let the security policy of the cluster allow it.',
      },
      limit: {
        text: '{pods} cannot watch files: the node allows no more inotify instances or open files',
        advice:
          '[end] Raise the limit on node `{node}`: `sysctl -w fs.inotify.max_user_instances=1024` (for `inotify_add_watch`: `fs.inotify.max_user_watches`). [with] Write the limit to `/etc/sysctl.d`, too, so that it survives a reboot. [with] Then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`.',
      },
      architecture: {
        text: 'The image of {pods} is built for another processor architecture than the node',
        advice:
          'Use an image that is built for the node, or select other nodes with `nodeSelector`: `kubectl get nodes -L kubernetes.io/arch`.',
      },
      argument: {
        text: 'The program in {pods} does not support its arguments or configuration: {what}',
        advice:
          'Use image, arguments and configuration of the same release of the product: `kubectl -n {namespace} edit {workload}`.',
      },
      configuration: {
        text: 'The program in {pods} does not accept {detail}: {what}',
        advice:
          '[end] Correct the field, as this release of the product declares it: `kubectl -n {namespace} edit {mounted}`. [with] If a chart or repository declares the ConfigMap, correct it there. [with] Then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`.',
      },
      variable: {
        text: '{pods} cannot start: {what} is {detail}, which Kubernetes sets for a Service of the namespace',
        advice:
          '[end] Set `enableServiceLinks: false` in the Pod template: `kubectl -n {namespace} edit {workload}`. [end] Or rename the Service: for a Service `webhook`, the variable is WEBHOOK_PORT.',
      },
      kind: {
        text: '{pods} cannot start: the API server does not serve kind {what} of {detail}',
        advice:
          'Install the CRD of the kind, or turn off the feature that needs it, then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`.',
      },
      definition: {
        text: '{pods} cannot start: CustomResourceDefinition {what} does not exist',
        advice:
          '[end] Install the CRDs of the release of the product, then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`. [end] If the CRD was deleted, its objects are deleted too: restore them from a backup.',
      },
      registration: {
        text: '{pods} cannot start: {what} {detail}, which the log names, does not exist',
        advice:
          '[end] If the object belongs to this program, create it again as the manifests of the release declare it (`helm upgrade`, or a sync of its GitOps application). [end] If the object belongs to another product, install that product, or turn off the feature that needs it. [with] Then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`.',
      },
      generatedName: {
        text: '{pods} cannot start: {what} {detail}, which the log names, does not exist, because OLM generates its names',
        advice:
          '[end] If the program has an argument that turns off its own registration of webhooks, set it: `kubectl -n {namespace} edit {workload}`. [with] OLM creates the configuration, its caBundle and the certificate. [end] Otherwise use a release of the program that supports OLM.',
      },
      misnamed: {
        text: 'The server in {pods} has no certificate: {what}, which {detail} names, does not exist',
        advice:
          '[end] If the configuration was deleted, create it again as the manifests of the release declare it (`helm upgrade`, or a sync of its GitOps application). [end] If the configuration has another name now, set `{setting}` to `{configuration}`, also where the workload is declared: `kubectl -n {namespace} edit {workload}`.',
      },
      removed: {
        text: 'The program in {pods} uses {what}, which this API server does not serve: Kubernetes 1.22 removed it',
        advice:
          'Use a release of the product that supports this version of Kubernetes, or turn off the feature that needs the API: `kubectl -n {namespace} edit {workload}`.',
      },
      unmounted: {
        text: 'The program in {pods} reads {what}, and no volume is mounted there',
        advice: mountOrTurnOff,
      },
      elsewhere: { text: 'The program in {pods} reads {what}, but {detail}', advice: mountOrTurnOff },
      items: {
        text: 'The program in {pods} reads {what}, but {detail}',
        advice:
          'Correct the paths in `items` of the volume, or remove `items`, so that the files have the names of the keys: `kubectl -n {namespace} edit {workload}`.',
      },
      keys: {
        text: 'The program in {pods} reads {what}, but {detail}',
        advice:
          '[end] If a setting names the file, set it to the file of the key that holds it: `kubectl -n {namespace} edit {workload}`. [end] If the certificate has no such key, write it with this key into the Secret: `kubectl -n {namespace} edit secret {secret}`. [with] If cert-manager, a Job or a script fills the Secret, correct the keys there, too.',
      },
      absent: {
        text: 'The program in {pods} reads {what} from Secret {detail}, which does not exist',
        advice:
          '[end] Create the Secret, or find out why its controller has not. [with] The volume is optional, so the Pod starts without it; the next restart of the container reads it. [see] With cert-manager: `kubectl -n {issuing} get certificate`. [see] With a Job of the chart: `kubectl -n {namespace} get jobs`.',
      },
      unreadable: {
        text: 'The user of the process in {pods} has no permission to read {what} of {detail}',
        advice:
          'Set `fsGroup` in the `securityContext` of the Pod, or a `defaultMode` for the volume that lets that user read it: `kubectl -n {namespace} edit {workload}`.',
      },
      readOnly: {
        text: 'The program in {pods} writes {what}, but {detail} is read-only',
        advice:
          'Mount an `emptyDir` volume at the directory of the file, or set `readOnlyRootFilesystem: false` for the container: `kubectl -n {namespace} edit {workload}`.',
      },
      token: {
        text: 'The program in {pods} reads the token of its ServiceAccount, which is not mounted',
        advice:
          'Set `automountServiceAccountToken: true` in the Pod template, or remove `false` from it and from the ServiceAccount: `kubectl -n {namespace} edit {workload}`.',
      },
      socket: {
        text: '{pods} exits because no process listens on socket {what} yet: {detail} must open it',
        advice:
          '[end] Wait until the socket is open, and the kubelet has started the container again: `kubectl webhook wait {configuration}`. [look] If that takes longer than a few minutes, read in the logs of the Pod why no container opens the socket: `kubectl -n {namespace} logs {pod} --all-containers --ignore-errors`.',
      },
      nodeSocket: {
        text: '{pods} exits because no process listens on socket {what}: a process on node {detail} must open it',
        advice:
          '[look] Find the Pod of that node which provides the socket, usually of a DaemonSet, and why it is not Ready: `kubectl get pods -A -o wide --field-selector spec.nodeName={node}`. [with] When the socket is open, the kubelet starts the container again by itself.',
      },
      identity: {
        text: 'SPIRE has no registration entry for {pods}, so the program gets no certificate',
        advice:
          '[look] Compare `podSelector` and `namespaceSelector` of the ClusterSPIFFEIDs with the Pod: `kubectl get clusterspiffeids.spire.spiffe.io -o yaml`. [end] Apply the one that is missing. [end] If one matches, apply it again when the SPIRE server is Ready. [with] If the program does not continue by itself, restart it: `kubectl -n {namespace} rollout restart {workload}`.',
      },
      entry: {
        text: 'SPIRE has no registration entry for {pods}, so the program gets no certificate',
        advice:
          '[end] Create a registration entry on the SPIRE server whose selectors match the Pod. [with] If the program does not continue by itself, restart it: `kubectl -n {namespace} rollout restart {workload}`.',
      },
      anyEntry: {
        text: 'SPIRE has no registration entry for {pods}, so the program gets no certificate',
        advice:
          '[look] If ClusterSPIFFEIDs declare the entries, compare their `podSelector` and `namespaceSelector` with the Pod: `kubectl get clusterspiffeids.spire.spiffe.io -o yaml`. [end] Apply the one that is missing. [end] Without ClusterSPIFFEIDs, create a registration entry on the SPIRE server whose selectors match the Pod. [with] If the program does not continue by itself, restart it: `kubectl -n {namespace} rollout restart {workload}`.',
      },
      keyPair: {
        text: 'Secret {what} contains no certificate and key that {pods} can load: {detail}',
        advice:
          '[look] If cert-manager fills the Secret, it issues the certificate again by itself; find out why it has not: `kubectl -n {issuing} get certificate`. [end] If the program itself creates the Secret, delete it: `kubectl -n {namespace} delete secret {secret}`. [with] Then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`. [end] Otherwise write certificate and key into it, as PEM in base64: `kubectl -n {namespace} edit secret {secret}`.',
      },
      createdPair: {
        text: 'Secret {what} contains no certificate and key that {pods} can load, and {by} creates it only if it is missing',
        advice:
          '[end] Save the Secret: `kubectl -n {namespace} get secret {secret} -o yaml > backup.yaml`. [with] Delete the Secret: `kubectl -n {namespace} delete secret {secret}`. [with] Then restart the Pods, which create it again: `kubectl -n {namespace} rollout restart {workload}`.',
      },
      encrypted: {
        text: '{pods} cannot read the private key in Secret {what}: it is encrypted with a passphrase, or damaged',
        advice:
          "[end] Save the key without its passphrase: `kubectl -n {namespace} get secret {secret} -o jsonpath='{.data.tls\\.key}' | base64 -d | openssl pkey -out server.key`. [with] Write the key into the Secret, as PEM in base64: `kubectl -n {namespace} edit secret {secret}`. [with] Delete the file, and restart the Pods: `kubectl -n {namespace} rollout restart {workload}`.",
      },
      aggregation: {
        text: '{pods} cannot start: kube-apiserver runs without {what}, which extension API servers read',
        advice:
          '[end] Start kube-apiserver with the flags of the aggregation layer, on every control plane node: `--requestheader-client-ca-file`, `--requestheader-allowed-names`, `--proxy-client-cert-file` and `--proxy-client-key-file`. [look] kube-apiserver publishes the `requestheader` values in this ConfigMap: `kubectl -n kube-system get configmap extension-apiserver-authentication -o yaml`.',
      },
      review: {
        text: '{pods} cannot start: this release of the program calls a version of {what} that this cluster does not serve',
        advice:
          '[end] Update the program to a release for this version of Kubernetes (1.22 removed v1beta1 of TokenReview and SubjectAccessReview). [look] To read the image that runs: `kubectl -n {namespace} get {workload} -o wide`.',
      },
      throttled: {
        text: '{pods} cannot start in time, because the client of the program delays its own requests: {what}',
        advice:
          '[end] If the program has arguments for them, raise the time limit of its start, or the limits of its client (QPS and burst): `kubectl -n {namespace} edit {workload}`. [with] The more CRDs and APIs a cluster has, the longer discovery takes. [end] Otherwise install a release that sends fewer requests.',
      },
      lock: {
        text: 'Pod {what} ({detail}) still holds the leader lock, and without it no process in {pods} serves',
        advice:
          '[end] Delete that Pod: `kubectl -n {namespace} delete pod {pod}`. [with] If the Pod stays in Terminating because its machine no longer exists, add `--force --grace-period=0`.',
      },
    },
    preventsReadiness: true,
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
    references: ['/docs/tasks/debug/debug-application/debug-running-pod/#examine-pod-logs'],
  },
  requires: [
    ...new Set([
      ...backendPodFacts,
      ...probeFacts,
      'configurations' as const,
      'logs' as const,
      'served' as const,
    ]),
  ],
  subjects: examinedBackends,
  run(backend, facts, find) {
    const { callout } = backend;
    const isProbed = facts.probes.known(calloutId(callout));
    const usable = isProbed ? usableEndpoints(callout, facts) : [];
    const isClosed = usable.length > 0 && usable.every((one) => isUnopened(one, callout, facts));
    const isAlerting = isProbed && reportedAlert(callout, facts, alertsWithout)?.extent === 'all';
    const bad = badReplicas(backend, facts, (one) => {
      const { cause, what = '' } = loggedCause(one.pod, facts) ?? {};
      if (cause === undefined) return false;
      if (cause === 'misnamed') return isAlerting;
      return (
        isClosed || isUnserving(one) || (isAlerting && ofCertificate.includes(cause) && !/metric/i.test(what))
      );
    });
    if (bad === undefined) return undefined;
    const isPartial = bad.extent !== 'all' && !isClosed && !isAlerting;
    if (isPartial && !areOfAnotherRevision(bad.each, podsWithState(backend, facts))) return undefined;
    const { pod } = bad.first;
    const logged = loggedCause(pod, facts);
    if (logged === undefined) return undefined;
    const { cause, what, detail, container, configMap, secret } = logged;
    const isOne = lastingContainers(pod).length === 1;
    const workload = workloadArgument(workloadOfPod(pod)) ?? `pod/${pod.metadata.name}`;
    const names = {
      workload,
      mounted: configMap && `configmap/${configMap}`,
      node: pod.spec.nodeName,
      secret: cause === 'keyPair' || cause === 'encrypted' ? what : secret,
      pod: cause === 'lock' ? what : pod.metadata.name,
      setting: cause === 'misnamed' ? detail : undefined,
      // A configuration of the other kind is not the one that the setting means.
      ...(cause === 'misnamed' && !what.startsWith(callout.ref.kind) ? { configuration: undefined } : {}),
    };
    const pods = isOne ? bad.pods : `container ${container} of ${bad.pods}`;
    const evidence = podEvidence(bad.each);
    const key = keyOf({ namespace: pod.metadata.namespace, name: what });
    const by = cause === 'keyPair' ? creatorOf(callout, logged, facts.secrets.getIfKnown(key)) : undefined;
    // OLM registers webhooks under generated names (pkg/controller/install/webhook.go).
    const isGenerated = what === callout.ref.kind && callout.metadata.labels?.['olm.owner'] !== undefined;
    const messageId = cause === 'registration' && isGenerated ? 'generatedName' : cause;
    const found =
      by === undefined
        ? find(messageId, { pods, what, detail }, evidence, names)
        : find('createdPair', { pods, what, by }, evidence, names);
    const { consequence: _none, ...partial } = { ...found, severity: 'warning' as const };
    return isPartial ? partial : found;
  },
});
