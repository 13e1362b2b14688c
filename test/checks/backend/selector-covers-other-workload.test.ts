import { selectorCoversOtherWorkload } from '../../../src/checks/backend/selector-covers-other-workload.ts';
import { nothingRead } from '../../../src/facts/lookup.ts';
import type { Pod } from '../../../src/facts/objects/pod.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, lists, objects, pod, port, service, slice } from '../../support/snapshot.ts';
import { allows, ended, refused, tried } from '../probed.ts';
import { ago } from '../replica/replicas.ts';
import { issued, served } from '../tls/serving.ts';

const replica = (
  name: string,
  ip: string,
  workload: string,
  containerPort: number | undefined,
  image: string,
): Pod =>
  pod({
    metadata: {
      name,
      uid: `uid-${name}`,
      labels: { app: 'policy', 'pod-template-hash': 'h' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${workload}-h`, uid: workload, controller: true },
      ],
    },
    spec: {
      containers: [{ name: 'main', image, ports: containerPort === undefined ? [] : [{ containerPort }] }],
    },
    status: { podIP: ip, podIPs: [{ ip }] },
  });
const hook = replica('policy-h-1', '198.51.100.7', 'policy', 8443, 'registry.example.com:5000/policy:v1');
const agent = replica('agent-h-1', '198.51.100.8', 'agent', 9100, 'agent@sha256:0123');
/** The same image as that of the webhook, and the same port, with this command. */
const sameImage = (...command: readonly string[]): Pod => {
  const one = replica('agent-h-1', '198.51.100.8', 'agent', 8443, 'registry.example.com:5000/policy:v1');
  const containers = one.spec.containers.map((container) => ({ ...container, command }));
  return { ...one, spec: { ...one.spec, containers } };
};
const withArgument = (one: Pod, argument: string): Pod => {
  const containers = one.spec.containers.map((container) => ({ ...container, args: [argument] }));
  return { ...one, spec: { ...one.spec, containers } };
};
const justStarted = (one: Pod): Pod => {
  const state = { running: { startedAt: ago(3) } };
  const containerStatuses = [{ name: 'main', ready: true, restartCount: 0, state }];
  return { ...one, status: { ...one.status, containerStatuses } };
};
const inMesh = (one: Pod): Pod => {
  const proxy = { name: 'istio-proxy', image: 'proxy:1', args: ['--serviceCluster=policy', '--port=15001'] };
  return { ...one, spec: { ...one.spec, containers: [...one.spec.containers, proxy] } };
};
const endpoint = (of: Pod, ready = true) => ({
  addresses: [of.status.podIP ?? ''],
  conditions: { ready },
  targetRef: { kind: 'Pod', namespace: 'shop', name: of.metadata.name },
});
const selected = (pods: readonly Pod[], endpoints = pods.map((one) => endpoint(one))) =>
  healthy({
    pods: lists({ 'shop/policy': pods }),
    endpointSlices: lists({ 'shop/policy': [slice(endpoints)] }),
  });
const found = { service: 'shop/policy', others: 'Deployment agent', owner: 'Deployment policy', port: 8443 };

const own = issued();
const ofOthers = issued({ server: { names: [{ dns: 'canary.shop.svc' }] } });
const canary = replica('policy-2', '198.51.100.8', 'canary', 8443, 'canary:v1');
/** Both declare the port; each of two Pods serves a certificate. */
const serving = (...chains: readonly (readonly Buffer[])[]) =>
  served(
    own.root,
    chains.map((presented) => ({ presented })),
    selected([replica('policy-1', '198.51.100.7', 'policy', 8443, 'policy:v1'), canary]),
  );

describeCheck(selectorCoversOtherWorkload, {
  reports: [
    {
      name: 'a second workload with the same labels',
      facts: selected([hook, agent]),
      expect: { messageId: 'some', data: { ...found, bad: 1, total: 2 } },
    },
    {
      name: 'a workload that declares no port at all',
      facts: selected([hook, replica('agent-h-1', '198.51.100.8', 'agent', undefined, 'agent:v1')]),
      expect: { messageId: 'some', data: { ...found, bad: 1, total: 2 } },
    },
    {
      name: 'only the others being ready',
      facts: selected([hook, agent], [endpoint(hook, false), endpoint(agent)]),
      expect: { messageId: 'only', data: found },
    },
    {
      name: 'what probes saw of the others',
      facts: tried([allows, refused], { pods: [hook, agent] }),
      expect: { messageId: 'some', confidence: 'observed' },
    },
    {
      name: 'another program of the same image, which refuses the port',
      facts: tried([allows, refused], {
        pods: [
          hook,
          replica('agent-h-1', '198.51.100.8', 'agent', 9100, 'registry.example.com:5000/policy:v1'),
        ],
      }),
      expect: { messageId: 'some', data: { ...found, bad: 1, total: 2 }, confidence: 'observed' },
    },
    {
      name: 'another program on the same port, whose certificate is for other names',
      facts: serving(own.presented, ofOthers.presented),
      expect: {
        messageId: 'foreign',
        data: { ...found, others: 'Deployment canary', bad: 1, total: 2 },
        confidence: 'observed',
      },
    },
    {
      name: 'another program of the same image, which declares the port and refuses it',
      facts: tried([allows, refused], { pods: [hook, sameImage('/cleaner', '--log-level=info')] }),
      expect: { messageId: 'program', data: { ...found, bad: 1, total: 2 }, confidence: 'observed' },
    },
    {
      name: 'the same program without the setting of the port, which refuses it',
      facts: tried([allows, refused], {
        pods: [withArgument(hook, '--validating-webhook=:8443'), sameImage()],
      }),
      expect: { messageId: 'program', data: { ...found, bad: 1, total: 2 }, confidence: 'observed' },
    },
    {
      name: 'the same program without the setting of the port, beside the proxy of a mesh',
      facts: tried([allows, refused], {
        pods: [withArgument(hook, '--validating-webhook=:8443'), sameImage()].map(inMesh),
      }),
      expect: { messageId: 'program', data: { ...found, bad: 1, total: 2 }, confidence: 'observed' },
    },
    {
      name: 'another program with a port of that name, which serves plain HTTP',
      facts: {
        ...tried([allows, ended({ stage: 'tls', kind: 'plain-http' })], {
          pods: [hook, replica('ui-h-1', '198.51.100.8', 'ui', 8443, 'ui:v1')],
        }),
      },
      expect: {
        messageId: 'program',
        data: { ...found, others: 'Deployment ui', bad: 1, total: 2 },
        confidence: 'observed',
      },
    },
  ],
  reportsNothing: [
    ...(
      [
        [
          'the same setting of the port',
          tried([allows, refused], {
            pods: [hook, sameImage()].map((one) => withArgument(one, '--validating-webhook=:8443')),
          }),
        ],
        [
          'the default in place of the setting of the port',
          tried([allows, refused], { pods: [withArgument(hook, '--webhook-port=8443'), sameImage()] }),
        ],
        [
          'a configuration file in place of the setting of the server',
          tried([allows, refused], {
            pods: [withArgument(hook, '--validating-webhook=:8443'), sameImage('--config=policy.yaml')],
          }),
        ],
        [
          'no such setting, and has just started',
          tried([allows, refused], {
            pods: [withArgument(hook, '--validating-webhook=:8443'), justStarted(sameImage())],
          }),
        ],
        ['the same command', tried([allows, refused], { pods: [hook, sameImage('--metrics')] })],
        ['another command, and responds', tried([allows, allows], { pods: [hook, sameImage('/cleaner')] })],
        [
          'another command, and nothing responds',
          tried([refused, refused], { pods: [hook, sameImage('/cleaner')] }),
        ],
      ] as const
    ).map(([name, facts]) => ({
      name: `a workload with the same image and port has ${name}`,
      facts,
      outcome: 'pass' as const,
    })),
    {
      name: 'both workloads serve a certificate for the Service',
      facts: serving(own.presented, own.presented),
      outcome: 'pass',
    },
    {
      name: 'both certificates are for other names',
      facts: serving(ofOthers.presented, ofOthers.presented),
      outcome: 'pass',
    },
    {
      name: 'the others serve the port that they do not declare',
      facts: tried([allows, allows], { pods: [hook, agent] }),
      outcome: 'pass',
    },
    { name: 'one workload is selected', facts: healthy(), outcome: 'pass' },
    {
      name: 'both workloads declare the port',
      facts: selected([hook, replica('canary-h-1', '198.51.100.8', 'canary', 8443, 'canary:v1')]),
      outcome: 'pass',
    },
    {
      name: 'both run the same program, and one does not declare its ports',
      facts: selected([
        hook,
        replica('canary-h-1', '198.51.100.8', 'canary', undefined, 'registry.example.com:5000/policy:v2'),
      ]),
      outcome: 'pass',
    },
    {
      name: 'another program of the same image, to which nothing connected',
      facts: selected([
        hook,
        replica('agent-h-1', '198.51.100.8', 'agent', 9100, 'registry.example.com:5000/policy:v1'),
      ]),
      outcome: 'pass',
    },
    { name: 'no container declares the port', facts: selected([agent]), outcome: 'pass' },
    {
      name: 'the other workload has no ready Pod',
      facts: selected([hook, agent], [endpoint(hook), endpoint(agent, false)]),
      outcome: 'pass',
    },
    {
      name: 'the other Pod belongs to a Job',
      facts: selected(
        [
          hook,
          {
            ...agent,
            metadata: {
              ...agent.metadata,
              ownerReferences: [
                { apiVersion: 'batch/v1', kind: 'Job', name: 'job', uid: 'job', controller: true },
              ],
            },
          },
        ],
        [endpoint(hook)],
      ),
      outcome: 'pass',
    },
    {
      name: 'a port name keeps the other Pods out',
      facts: {
        ...selected([hook, agent]),
        services: objects(service({ ports: [port({ targetPort: 'https' })] })),
      },
      outcome: 'pass',
    },
    {
      name: 'nothing called for a look at the Pods',
      facts: { ...selected([hook, agent]), pods: nothingRead({ what: 'Pods', why: 'not-requested' }) },
      outcome: 'not-applicable',
    },
  ],
});
