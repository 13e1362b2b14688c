import { namespace, service } from '../../cluster/manifests.ts';
import { mutating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const selectorCoversAgents = defineScenario({
  slug: 'selector-covers-agents',
  story: [
    'The Service selects by a label that the whole product shares.',
    "Agents of the product carry it too, and serve nothing on the webhook's port.",
    'A share of the calls is refused.',
  ],
  parts: [
    namespace('observability'),
    service('observability/telemetry', { selector: { product: 'telemetry' } }),
    deployment('observability/telemetry', { labels: { product: 'telemetry' } }),
    deployment('observability/telemetry-agent', {
      labels: { product: 'telemetry' },
      container: {
        name: 'agent',
        image: 'registry.example.com/agent:2.0.0',
        ports: [{ containerPort: 4317 }],
        readinessProbe: { tcpSocket: { port: 4317 } },
      },
    }),
    mutating('telemetry', [webhook('inject.telemetry.example.com', { service: 'observability/telemetry' })]),
  ],
  expect: [
    {
      callout: 'mutating/telemetry/inject.telemetry.example.com',
      state: 'degraded',
      link: 'backend',
      cause: 'selector-covers-other-workload',
      effect: 'blocks',
    },
  ],
});
