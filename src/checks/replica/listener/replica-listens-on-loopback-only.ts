import { failingServers } from '../../../apiserver/connection/failing-servers.ts';
import { probedCallouts, probeFacts } from '../../../apiserver/connection/probed-callouts.ts';
import { nameIn } from '../../../facts/evidence.ts';
import { knownPods } from '../../../facts/workloads/replicas.ts';
import { listed } from '../../../phrases/lists.ts';
import { loopbackSettings, podByName } from '../../../pods/listening.ts';
import { defineCheck, partial } from '../../check.ts';

export const replicaListensOnLoopbackOnly = defineCheck({
  meta: {
    id: 'replica-listens-on-loopback-only',
    title: 'Pod listens only on localhost',
    consequence: 'failing',
    why: 'The process is bound to 127.0.0.1, so the port is open inside the Pod and closed on the Pod IP. Only a port-forward or a sidecar can connect to it.',
    advice:
      '[end] Configure the process to listen on all addresses (`0.0.0.0`, `[::]` or `:PORT`) instead of localhost. [end] Usually, an argument or environment variable of the container sets it: `kubectl -n {namespace} edit {workload}`.',
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
    const found = failingServers(callout, facts, ({ callResult }) => callResult.fault === 'loopback-only');
    if (found === undefined) return undefined;
    const { extent, data, evidence } = found;
    const pod = nameIn(evidence, 'Pod');
    const known = podByName(pod, knownPods(callout, facts));
    const setting = listed(known === undefined ? [] : loopbackSettings(known, data.port));
    if (extent === 'all' && setting !== '')
      return find('set', { ...data, setting }, evidence, { pod }, 'observed');
    return find(extent, data, evidence, { pod }, 'observed');
  },
});
