import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { daemonSet } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const replicaOnEveryNode = defineScenario({
  slug: 'replica-on-every-node',
  story: ['Every node has a replica.', 'A DaemonSet has no number of replicas to read.', 'Nodes decide.'],
  parts: [
    namespace('everywhere'),
    service('everywhere/node-policy'),
    daemonSet('everywhere/node-policy'),
    validating('node-policy', [webhook('node-policy.example.com', { service: 'everywhere/node-policy' })]),
  ],
  expect: [],
});
