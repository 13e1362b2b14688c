import { type FailingServers, failingServers } from '../../../apiserver/connection/failing-servers.ts';
import { probedCallouts, probeFacts } from '../../../apiserver/connection/probed-callouts.ts';
import { targetPortOf } from '../../../apiserver/routing/backends.ts';
import { proxiedPortOf } from '../../../apiserver/routing/route.ts';
import { skippedHandler } from '../../../apiserver/sentences/logs/log-lines.ts';
import { firstResult } from '../../../basics/collections.ts';
import { isServiceBacked, type ServiceBacked } from '../../../facts/callout.ts';
import { type Evidence, nameIn } from '../../../facts/evidence.ts';
import { keyOf } from '../../../facts/object-ref.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { logEvidence, logOf } from '../../../facts/workloads/pod-logs.ts';
import { isPodReady, startupSeconds } from '../../../facts/workloads/pod-state.ts';
import { knownPods } from '../../../facts/workloads/replicas.ts';
import { refOfPod, workloadArgument, workloadOfPod } from '../../../facts/workloads/workloads.ts';
import {
  isWrongPort,
  podByName,
  portInLog,
  removedSetting,
  secondsRunning,
  serverSwitchedOff,
} from '../../../pods/listening.ts';
import { type CheckStep, defineCheck, firstReported, type Messages, partial } from '../../check.ts';

/** True if the log of a Pod ends its leader election with the wait for the Lease (client-go leaderelection.go). */
const waitsForLease = (pod: Pod, facts: Pick<Facts, 'logs'>): boolean =>
  pod.spec.containers.some(({ name }) =>
    /attempting to acquire leader lease(?!.*successfully acquired lease)/s.test(logOf(pod, name, facts)),
  );

/** The line of the log of a Pod that reports a handler which its program does not register. */
const skippedIn = (pod: Pod, facts: Pick<Facts, 'logs'>): Evidence | undefined =>
  firstResult(pod.spec.containers, ({ name }) => {
    const skipped = skippedHandler(logOf(pod, name, facts));
    return skipped && logEvidence(refOfPod(pod), name, skipped.line);
  });

/** The name of the targetPort, if other Pods give it to another port than those on which it is closed. */
function namedOtherwise(
  callout: ServiceBacked,
  facts: Pick<Facts, 'services' | 'pods'>,
  bad: readonly Pod[],
  closed: number,
) {
  const { service } = callout.client;
  const found = facts.services.getIfKnown(keyOf(service));
  const port = found && proxiedPortOf(found, service.port);
  const [other] = knownPods(callout, facts)
    .filter((pod) => !bad.includes(pod) && isPodReady(pod))
    .map((pod) => port && targetPortOf(port, pod));
  if (typeof port?.targetPort !== 'string' || other === undefined || other === closed) return undefined;
  return { name: port.targetPort, other, affected: bad[0] && workloadArgument(workloadOfPod(bad[0])) };
}

const usePort =
  '[end] Set `targetPort` of the Service to the port of the server: `kubectl -n {namespace} edit service {service}`. [end] If `targetPort` is a name, correct the `containerPort` of that name: `kubectl -n {namespace} edit {affected}`.';

const advice =
  '[look] Find out from the log why nothing listens on the port: `kubectl -n {namespace} logs {pod}`. [prevent] Point the readiness probe at the webhook port, so that such a Pod receives no requests.';

const messages = {
  all: 'Port {port} is closed in {replicas}',
  elsewhere: {
    text: 'Port {port} is closed in {replicas}; according to its log, the webhook server listens on port {served}',
    advice: usePort,
  },
  someElsewhere: partial(
    'Port {port} is closed in {replicas}; according to its log, the webhook server listens on port {served} ({bad} of {total} new connections are refused)',
    usePort,
  ),
  named: partial(
    'Port {port} is closed in {replicas} ({bad} of {total} new connections are refused); in other Pods, container port {name} is {other}',
    '[look] Find out from the log on which port the server listens, or why it has not started yet: `kubectl -n {namespace} logs {pod}`. [end] If the server listens on another port, correct the `containerPort` with the name of the targetPort: `kubectl -n {namespace} edit {affected}`. [end] If the Pod must not receive requests, correct its labels or the selector.',
  ),
  switchedOff: {
    text: 'Port {port} is closed in {replicas}: the setting {setting} turns the webhook server off',
    advice:
      '[end] Remove the setting: `kubectl -n {namespace} edit {workload}`. [end] If the webhook must stay off, delete its configuration.',
  },
  removed: {
    text: 'Port {port} is closed in {replicas}: the last rollout removed the setting {setting}',
    advice:
      '[end] If the webhook is needed, add the setting again: `kubectl -n {namespace} edit {workload}`. [end] If the webhook was turned off on purpose, remove the webhook from its configuration: `kubectl edit {kind} {configuration}`.',
  },
  bound: {
    text: 'Port {port} is closed in {replicas}, although the log reports that the server listens on it: perhaps on localhost only',
    advice:
      '[end] Configure the server to listen on all addresses (`0.0.0.0`, `::` or `:PORT`): `kubectl -n {namespace} edit {workload}`. [end] If the server has stopped since, restart the Pods: `kubectl -n {namespace} rollout restart {workload}`.',
  },
  noHandler: {
    text: 'Port {port} is closed in {replicas}: according to the log, the program registers no webhook handler',
    advice:
      '[end] If the program is yours, pass its handlers to `NewWebhookManagedBy`: `WithValidator`, `WithDefaulter`. [end] Otherwise use a release that registers them, such as the former one: `kubectl -n {namespace} rollout undo {revised}`.',
  },
  starting:
    'Port {port} is still closed in {replicas}, {seconds} s after the start: its readiness does not wait for the port',
  some: partial('Port {port} is closed in {replicas}: {bad} of {total} new connections are refused'),
} as const satisfies Messages;

const requires = [...probeFacts, 'logs', 'workloads'] as const;

/** A port that is closed in Pods. */
interface ClosedPort extends FailingServers {
  readonly callout: ServiceBacked;
  readonly bad: readonly Pod[];
  /** The port on which the server listens, according to its log. */
  readonly served: number | undefined;
}

type OwnStep = CheckStep<ClosedPort, typeof requires, typeof messages, typeof advice>;

/** A setting turns the server off. */
const switchedOff: OwnStep = ({ extent, bad, data, evidence }, _facts, find) => {
  if (extent === 'some') return undefined;
  const setting = firstResult(bad, (pod) => serverSwitchedOff(pod, data.port));
  const names = { pod: nameIn(evidence, 'Pod') };
  return setting === undefined ? undefined : find('switchedOff', { ...data, setting }, evidence, names);
};

/** The server listens on another port. */
const elsewhere: OwnStep = ({ extent, bad: [pod], served, data, evidence }, _facts, find) => {
  if (served === undefined || served === data.port) return undefined;
  const affected = pod && workloadArgument(workloadOfPod(pod));
  return find(extent === 'all' ? 'elsewhere' : 'someElsewhere', { ...data, served }, evidence, { affected });
};

/** Other Pods give the name of the port to another one. */
const named: OwnStep = ({ callout, extent, bad, served, data, evidence }, facts, find) => {
  // An update may change the port of a name: a log that names the closed port shows another cause.
  const isDeclared = extent === 'all' || served === data.port;
  const found = isDeclared ? undefined : namedOtherwise(callout, facts, bad, data.port);
  if (found === undefined) return undefined;
  const { name, other, affected } = found;
  return find('named', { ...data, name, other }, evidence, { pod: nameIn(evidence, 'Pod'), affected });
};

/** Nothing listens, or only on localhost, or not yet, or no longer since the last rollout. */
const closed: OwnStep = ({ callout, extent, endpoints, bad, served, data, evidence }, facts, find) => {
  const pods = knownPods(callout, facts);
  const seconds = Math.max(
    ...endpoints.map(({ pod }) => secondsRunning(podByName(pod, pods), facts.takenAt)),
  );
  const names = { pod: nameIn(evidence, 'Pod') };
  if (extent === 'some') return find('some', data, evidence, names);
  // The log is read after the probe: the server may have opened the port between.
  if (seconds < startupSeconds)
    return find('starting', { ...data, seconds: Math.round(seconds) }, evidence, names);
  const isWaiting = bad.some((pod) => waitsForLease(pod, facts));
  const setting =
    served === undefined && !isWaiting
      ? firstResult(bad, (pod) => removedSetting(pod, data.port, facts))
      : undefined;
  if (setting !== undefined) return find('removed', { ...data, setting }, evidence, names, 'derived');
  if (served === data.port) return find('bound', data, evidence, names);
  const skipped = firstResult(bad, (pod) => skippedIn(pod, facts));
  return skipped === undefined
    ? find('all', data, evidence, names)
    : find('noHandler', data, [...evidence, skipped], names);
};

export const replicaNotListening = defineCheck({
  meta: {
    id: 'replica-not-listening',
    title: 'Pod does not listen on the webhook port',
    consequence: 'failing',
    confidence: 'observed',
    why: 'The process runs but has not opened the webhook port: it waits for a certificate, a Lease or a cache, or its server has stopped. A readiness probe of another port does not notice. If other Pods listen, calls over an open connection to them succeed; each new connection can be refused.',
    advice,
    messages,
    preventsReadiness: true,
    follows: [
      'pods-cannot-reach-api-server',
      'process-cannot-start',
      'selector-covers-other-workload',
      'endpoint-of-no-pod',
      'unready-addresses-published',
      'host-network-port-conflict',
      'leader-lease-stale',
      'service-account-lacks-rights',
      'leader-gated-listener',
      'replica-init-stuck',
      'replica-config-error',
      'replica-volume-missing',
      'replica-out-of-memory',
      'replica-crash-looping',
      'replica-readiness-failing',
      'replica-node-not-ready',
      'replica-evicted',
    ],
    references: ['/docs/tasks/debug/debug-application/debug-service/#are-the-pods-working'],
  },
  requires,
  subjects: (facts) => probedCallouts(facts).filter(isServiceBacked),
  run(callout, facts, find) {
    const pods = knownPods(callout, facts);
    const found = failingServers(
      callout,
      facts,
      (endpoint) =>
        endpoint.callResult.fault === 'refused' &&
        !isWrongPort(endpoint, pods) &&
        // Its process has ended, or is about to.
        podByName(endpoint.pod, pods)?.metadata.deletionTimestamp === undefined,
    );
    if (found === undefined) return undefined;
    const bad = found.endpoints.flatMap(({ pod }) => podByName(pod, pods) ?? []);
    const [served] = bad.flatMap((pod) => portInLog(pod, found.data.port, facts) ?? []);
    return firstReported(
      switchedOff,
      elsewhere,
      named,
      closed,
    )({ callout, ...found, bad, served }, facts, find);
  },
});
