import { probesOf } from '../../apiserver/connection/observe.ts';
import { ownCallEnd } from '../../apiserver/connection/own-call.ts';
import { backends, endpointFacts, endpointsBehind } from '../../apiserver/routing/backends.ts';
import { defineCheck } from '../check.ts';

export const endpointsOnlyTerminating = defineCheck({
  meta: {
    id: 'endpoints-only-terminating',
    link: 'backend',
    title: 'All replicas are shutting down',
    severity: 'warning',
    explains: { 'no-endpoints': 8, 'connection-refused': 9, 'no-route': 9, unavailable: 7 },
    why: 'kube-proxy sends calls to Pods that are shutting down but still serve when nothing else is left; an API server that routes to endpoints itself (`--enable-aggregator-routing`) does not. Either way nothing is left a moment later.',
    advice:
      'Wait if new replicas are coming; if not, find out who ends them: a rollout with one replica, a drained node, a scale-down. Two replicas and a PodDisruptionBudget keep one there.',
    noRemedy: { because: 'the replicas end on their own, or are held by what their check names' },
    messages: {
      endpoints: {
        text: 'all {total} endpoints of Service {service} are shutting down, and the API server routes to ready ones only',
        severity: 'error',
        consequence: 'failing',
      },
      clusterIp:
        'all {total} endpoints of Service {service} are shutting down: calls pass until they are gone, and fail then unless others are ready',
      passing:
        'all {total} endpoints of Service {service} are shutting down: a call just passed; they fail when these are gone, or, where the API server routes to endpoints, with the next new connection',
      eitherMode: {
        text: 'all {total} endpoints of Service {service} are shutting down; whether calls still go there depends on how the API server routes',
        consequence: 'unknown',
      },
    },
    follows: ['workload-scaled-to-zero', 'workload-cannot-create-pods'],
    references: [
      'https://github.com/kubernetes/enhancements/tree/master/keps/sig-network/1669-proxy-terminating-endpoints',
    ],
  },
  requires: [...endpointFacts, 'probes'],
  subjects: backends,
  run(backend, facts, find) {
    const endpoints = endpointsBehind(backend, facts);
    if (endpoints.some(({ ready }) => ready)) return undefined;
    const leaving = endpoints.filter(({ serving, terminating }) => serving && terminating);
    if (leaving.length === 0) return undefined;
    const data = { service: backend.key, total: leaving.length };
    const evidence = leaving.map(({ address, port, slice }) => ({
      object: { kind: 'EndpointSlice', namespace: backend.namespace, name: slice },
      field: 'endpoints',
      value: `${address}:${port} ready=false serving=true terminating=true`,
    }));
    const { mode } = facts.routing;
    if (mode !== undefined) return find(mode === 'endpoints' ? 'endpoints' : 'clusterIp', data, evidence);
    const probes = probesOf(backend.callout, facts);
    const passes = probes !== undefined && ownCallEnd(backend.callout, probes).outcome === 'passes';
    return find(passes ? 'passing' : 'eitherMode', data, evidence, passes ? 'observed' : 'derived');
  },
});
