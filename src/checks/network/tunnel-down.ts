import { lossOf } from '../../apiserver/connection/loss.ts';
import { probedCallouts, probeFacts, reportFailing } from '../../apiserver/connection/probed.ts';
import { advise } from '../../facts/advice.ts';
import { defineCheck } from '../check.ts';

export const tunnelDown = defineCheck({
  meta: {
    id: 'tunnel-down',
    link: 'network',
    title: 'The tunnel from the control plane to the nodes does not carry',
    severity: 'error',
    consequence: 'failing',
    explains: { tunnel: 1 },
    why: 'The API server reaches Pods through konnectivity; without an agent that is connected, no call to any webhook in the cluster arrives, and `kubectl logs` and `exec` fail as well.',
    advice: advise`Look at the agents: ${'kubectl -n kube-system get pods -l k8s-app=konnectivity-agent'}, and at what keeps them from the control plane.`,
    noRemedy: 'in-the-network',
    messages: {
      all: '{replicas}: not reached through the tunnel of the control plane: {said}',
      some: {
        text: '{replicas}: not reached through the tunnel of the control plane: {said}; {bad} of {total} new connections end so',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportFailing((met) => lossOf(met) === 'tunnel'),
});
