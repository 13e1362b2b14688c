import { lossOf } from '../../apiserver/connection/loss.ts';
import { probedCallouts, probeFacts, reportFailing } from '../../apiserver/connection/probed.ts';
import { defineCheck } from '../check.ts';

export const addressNotAllowed = defineCheck({
  meta: {
    id: 'address-not-allowed',
    link: 'network',
    title: 'The control plane may not dial Pod addresses',
    severity: 'error',
    consequence: 'failing',
    explains: { 'address-not-allowed': 1 },
    why: 'The managed control plane refuses addresses outside its own network (Amazon EKS: `Address is not allowed`): with an overlay CNI the Pods have such addresses, and no webhook in them can be called.',
    advice:
      'Give the webhook `hostNetwork: true` (and a port that is free on the nodes), or addresses from the network of the control plane for its Pods.',
    noRemedy: 'in-the-network',
    messages: {
      all: '{replicas}: the control plane refuses to dial it: {said}',
      some: {
        text: '{replicas}: the control plane refuses to dial it: {said}; {bad} of {total} new connections end so',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportFailing((met) => lossOf(met) === 'not-allowed'),
});
