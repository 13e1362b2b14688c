import { failingServers } from '../../../apiserver/connection/failing-servers.ts';
import { probedCallouts, probeFacts } from '../../../apiserver/connection/probed-callouts.ts';
import { secondsSince } from '../../../basics/time.ts';
import { nameIn } from '../../../facts/evidence.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import { startupSeconds } from '../../../facts/workloads/pod-state.ts';
import { knownPods } from '../../../facts/workloads/replicas.ts';
import { listed } from '../../../phrases/lists.ts';
import { containerOfPort, loopbackSettings, podByName } from '../../../pods/listening.ts';
import { defineCheck, partial } from '../../check.ts';

/**
 * The two paths are probed one after the other: a process that starts or exits in between looks as if on localhost. A
 * liveness probe may restart one whose setting is localhost.
 */
function isStartingOrEnding(pod: Pod, port: number | undefined, now: string): boolean {
  const own = containerOfPort(pod, port)?.name;
  const isStarting = (pod.status.containerStatuses ?? [])
    .filter(({ name }) => own === undefined || name === own)
    .some(
      ({ ready, state }) => !ready && (secondsSince(state?.running?.startedAt, now) ?? 0) < startupSeconds,
    );
  return isStarting && (port === undefined || loopbackSettings(pod, port).length === 0);
}

export const replicaListensOnLoopbackOnly = defineCheck({
  meta: {
    id: 'replica-listens-on-loopback-only',
    title: 'Pod listens only on localhost',
    consequence: 'failing',
    why: 'The process is bound to 127.0.0.1, so the port is open inside the Pod and closed on the Pod IP. Only a port-forward or a sidecar can connect to it.',
    advice:
      '[end] Configure the process to listen on all addresses (`0.0.0.0`, `[::]` or `:PORT`) instead of localhost. [end] Usually, an argument or environment variable of the container sets the address: `kubectl -n {namespace} edit {workload}`.',
    noRemedy: 'in-the-server',
    messages: {
      all: 'Port {port} is open on localhost and closed on the Pod IP in {replicas}',
      set: {
        text: 'Port {port} is open only on localhost in {replicas}, because of the setting {setting}',
        advice:
          '[end] Change the address to `0.0.0.0`, and keep the port: `kubectl -n {namespace} edit {workload}`. [with] Make the same change where the workload is declared.',
      },
      some: partial(
        'Port {port} is open on localhost and closed on the Pod IP in {replicas}: {bad} of {total} new connections are refused',
      ),
    },
    preventsReadiness: true,
    follows: ['selector-covers-other-workload'],
    references: ['/docs/tasks/debug/debug-application/debug-service/#are-the-pods-working'],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run(callout, facts, find) {
    const pods = knownPods(callout, facts);
    const found = failingServers(callout, facts, ({ callResult, pod: name, probe }) => {
      const known = podByName(name, pods);
      const isStable = known === undefined || !isStartingOrEnding(known, probe?.port, facts.takenAt);
      return callResult.fault === 'loopback-only' && isStable;
    });
    if (found === undefined) return undefined;
    const { extent, data, evidence } = found;
    const pod = nameIn(evidence, 'Pod');
    const known = podByName(pod, pods);
    const setting = listed(known === undefined ? [] : loopbackSettings(known, data.port));
    if (extent === 'all' && setting !== '')
      return find('set', { ...data, setting }, evidence, { pod }, 'observed');
    return find(extent, data, evidence, { pod }, 'observed');
  },
});
