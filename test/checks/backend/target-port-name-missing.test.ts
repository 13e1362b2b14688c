import { targetPortNameMissing } from '../../../src/checks/backend/target-port-name-missing.ts';
import type { Pod } from '../../../src/facts/objects/pod.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, lists, objects, pod, port, service, slice } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const named = (targetPort: number | string = 'webhook', over: object = {}) =>
  objects(service({ ports: [port({ targetPort, name: 'https', ...over })] }));
const declaring = (name: string | undefined, over: object = {}) =>
  pod({
    spec: {
      containers: [
        {
          name: 'webhook',
          ports: [{ containerPort: 8443, ...(name === undefined ? {} : { name }), ...over }],
        },
      ],
    },
  });
/** As the endpoint slice controller of 1.35.4 writes it: it contains the Pod without the port. */
const withoutPort = { ...slice(), ports: null };
const left = (...pods: readonly Pod[]) =>
  healthy({
    services: named(),
    endpointSlices: lists({ 'shop/policy': [withoutPort] }),
    pods: lists({ 'shop/policy': pods }),
  });
const noPod = { ...left(), endpointSlices: lists({ 'shop/policy': [slice([], { ports: null })] }) };
const served = (...pods: readonly Pod[]) =>
  healthy({
    services: named(),
    endpointSlices: lists({ 'shop/policy': [slice(undefined, { ports: [{ name: 'https', port: 8443 }] })] }),
    pods: lists({ 'shop/policy': pods }),
  });
const found = { service: 'shop/policy', port: 443, name: 'webhook' };
const second = (of: Pod): Pod => ({ ...of, metadata: { ...of.metadata, name: 'policy-2', uid: 'uid-2' } });

const notReady = (of: Pod): Pod => ({
  ...of,
  status: { ...of.status, conditions: [{ type: 'Ready', status: 'False' }] },
});

const done: Pod = {
  ...declaring('webhook'),
  status: { phase: 'Succeeded', conditions: [{ type: 'Ready', status: 'False' }] },
};

describeCheck(targetPortNameMissing, {
  reports: [
    {
      name: 'a name that no container declares',
      facts: left(declaring('https')),
      expect: { messageId: 'nobody', data: { ...found, declared: 'https (8443)' } },
    },
    {
      name: 'a Pod that declares no port',
      facts: left(pod({ spec: { containers: [{ name: 'webhook' }] } })),
      expect: { messageId: 'nobody', data: { ...found, declared: 'none' } },
    },
    {
      name: 'the right name for another protocol',
      facts: left(declaring('webhook', { protocol: 'UDP' })),
      expect: { messageId: 'nobody', data: { ...found, declared: 'webhook (8443/UDP)' } },
    },
    {
      name: 'a Pod template without the name, where there is no Pod',
      facts: noPod,
      expect: {
        messageId: 'template',
        data: { ...found, workload: 'Deployment policy', declared: 'unnamed (8443)' },
      },
    },
    {
      name: 'the slices alone, where Pods must not be read',
      facts: { ...left(), pods: forbidden() },
      expect: { messageId: 'slices', data: found },
    },
    {
      name: 'Pods that are Ready without the name, beside one with it that is not',
      facts: left(notReady(declaring('webhook')), second(declaring('web'))),
      expect: { messageId: 'ready', data: { ...found, pods: 'Pod policy-2' } },
    },
    {
      name: 'a rollout that renames the port',
      facts: served(declaring('webhook'), second(declaring('https'))),
      expect: { messageId: 'some', data: { ...found, pods: 'Pod policy-2' } },
    },
  ],
  reportsNothing: [
    { name: 'the port is a number', facts: healthy(), outcome: 'not-applicable' },
    {
      name: 'only a test Pod of the chart does not declare it',
      facts: {
        ...left({
          ...declaring('https'),
          metadata: {
            ...declaring('https').metadata,
            annotations: { 'helm.sh/hook': 'test' },
            ownerReferences: [],
          },
        }),
        workloads: lists({ shop: [] }),
      },
    },
    { name: 'the name is declared', facts: served(declaring('webhook')), outcome: 'pass' },
    {
      name: 'the name is declared and the Pod is not ready',
      facts: left(declaring('webhook')),
      outcome: 'pass',
    },
    {
      name: 'a sidecar declares it',
      facts: left(
        pod({
          spec: {
            containers: [{ name: 'main' }],
            initContainers: [
              { name: 'proxy', restartPolicy: 'Always', ports: [{ name: 'webhook', containerPort: 8443 }] },
            ],
          },
        }),
      ),
      outcome: 'pass',
    },
    {
      name: 'Pods of another workload do not declare it, and are no endpoints',
      facts: served(declaring('webhook'), {
        ...second(declaring('metrics')),
        metadata: { name: 'agent-1', namespace: 'shop' },
      }),
      outcome: 'pass',
    },
    {
      name: 'there is no Pod, and nothing that would make one',
      facts: { ...noPod, workloads: lists({ shop: [] }) },
      outcome: 'pass',
    },
    {
      name: 'there is no Pod, and workloads were not read',
      facts: { ...noPod, workloads: forbidden() },
      outcome: 'pass',
    },
    {
      name: 'the Pods of a Job that is done are still in a slice',
      facts: { ...left(done), workloads: lists({ shop: [] }) },
      outcome: 'pass',
    },
    {
      name: 'the Service has no selector',
      facts: {
        ...left(),
        services: objects(service({ selector: {}, ports: [port({ targetPort: 'webhook' })] })),
      },
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [{ name: 'EndpointSlices must not be read', facts: { ...left(), endpointSlices: forbidden() } }],
});
