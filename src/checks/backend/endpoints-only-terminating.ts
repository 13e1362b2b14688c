import { ownCallEnd } from '../../apiserver/connection/own-call.ts';
import { probesOf } from '../../apiserver/connection/probed-servers.ts';
import { backends, endpointFacts, endpointsBehind } from '../../apiserver/routing/backends.ts';
import { endpointEvidence } from '../../apiserver/routing/unused-endpoints.ts';
import { defineCheck, fatal, undecided } from '../check.ts';
import { notRunning } from '../replica/not-running.ts';

export const endpointsOnlyTerminating = defineCheck({
  meta: {
    id: 'endpoints-only-terminating',
    title: 'All Pods of the Service are terminating',
    severity: 'warning',
    why: 'If a Service has no other endpoints, kube-proxy routes to terminating Pods that still serve; an API server with `--enable-aggregator-routing` does not. When they have stopped, every call fails.',
    advice:
      '[look] Check whether new Pods are starting: `kubectl -n {namespace} get pods -o wide`. [look] If no new Pod starts, find out why the Pods were deleted (a rollout with one replica, a drained node, a scale-down): `kubectl -n {namespace} get events --sort-by=.lastTimestamp`. [prevent] Run two replicas with a PodDisruptionBudget.',
    noRemedy: { because: 'the Pods stop by themselves, or another check reports why they cannot' },
    messages: {
      endpoints: fatal(
        'Service {service} has only terminating endpoints ({total}), and the API server routes to ready endpoints only',
      ),
      clusterIp:
        'Service {service} has only terminating endpoints ({total}): without a ready Pod, calls fail when these stop',
      passing:
        'Service {service} has only terminating endpoints ({total}): a call just succeeded; calls fail at the latest when these Pods stop',
      eitherMode: undecided(
        'Service {service} has only terminating endpoints ({total}); whether calls still reach them depends on --enable-aggregator-routing',
      ),
    },
    preventsReadiness: true,
    follows: [...notRunning, 'workload-scaled-to-zero', 'workload-cannot-create-pods', 'rollout-paused'],
    references: ['/docs/concepts/services-networking/endpoint-slices/#terminating'],
  },
  requires: [...endpointFacts, 'probes'],
  subjects: backends,
  run(backend, facts, find) {
    const endpoints = endpointsBehind(backend, facts);
    if (endpoints.some(({ ready }) => ready)) return undefined;
    const leaving = endpoints.filter(({ serving, terminating }) => serving && terminating);
    if (leaving.length === 0) return undefined;
    const data = { service: backend.key, total: leaving.length };
    const evidence = endpointEvidence(backend, leaving);
    const { mode } = facts.routing;
    if (mode !== undefined) return find(mode === 'endpoints' ? 'endpoints' : 'clusterIp', data, evidence);
    const probes = probesOf(backend.callout, facts);
    const passes = probes !== undefined && ownCallEnd(backend.callout, probes).outcome === 'passes';
    return find(passes ? 'passing' : 'eitherMode', data, evidence, passes ? 'observed' : 'derived');
  },
});
