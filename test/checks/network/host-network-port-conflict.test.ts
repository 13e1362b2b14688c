import { hostNetworkPortConflict } from '../../../src/checks/network/host-network-port-conflict.ts';
import { calloutId } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, lists, objects, service, webhook } from '../../support/snapshot.ts';
import { replica } from '../probed.ts';
import { beside, doubts, only, silences, unready } from '../replica/replicas.ts';
import { probes } from '../tls/serving.ts';

const message = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.";
const unplaced = (hostNetwork: boolean) => {
  const { spec, ...rest } = unready({
    status: {
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
      containerStatuses: [],
    },
  });
  const { nodeName: _, ...unbound } = spec;
  return { ...rest, spec: { ...unbound, hostNetwork } };
};

/** A crashed process, and its last log line. */
const crashed = (hostNetwork: boolean, line: string) => {
  const state = { waiting: { reason: 'CrashLoopBackOff' } };
  const containerStatuses = [{ name: 'webhook', ready: false, restartCount: 3, state }];
  const one = unready({ status: { phase: 'Running', containerStatuses } });
  const broken = { ...one, spec: { ...one.spec, hostNetwork } };
  return { ...only([broken]), logs: complete([[`shop/${broken.metadata.name}/webhook`, line]]) };
};
const inUse = 'failed to listen: listen tcp :10250: bind: address already in use';

const admitted = { operation: 'CREATE', resource: 'configmaps', status: 201, message: '', milliseconds: 5 };

/** A Ready Pod of EKS Fargate, and the target port of its Service. */
const onFargate = (targetPort: number) => {
  const one = replica(1);
  const placed = { ...one, spec: { ...one.spec, nodeName: 'fargate-ip-10-0-0-7' } };
  return healthy({
    services: objects(service({ ports: [{ port: 443, targetPort }] })),
    pods: lists({ 'shop/policy': [placed] }),
  });
};

describeCheck(hostNetworkPortConflict, {
  reports: [
    {
      name: 'Pods that no node has a free port for',
      facts: only([unplaced(true)]),
      expect: { messageId: 'unscheduled' },
    },
    {
      name: 'one Pod among others that answer',
      facts: beside([unplaced(true)]),
      expect: { messageId: 'some' },
    },
    {
      name: 'a process that finds its port taken on the node',
      facts: crashed(true, `starting\n${inUse}`),
      expect: {
        messageId: 'all',
        data: { pods: 'Pod policy-1', detail: 'listen tcp :10250: bind: address already in use' },
      },
    },
    {
      name: 'a process of Node.js that finds its port taken on the node',
      facts: crashed(true, 'Error: listen EADDRINUSE: address already in use 0.0.0.0:10250'),
      expect: {
        messageId: 'all',
        data: { pods: 'Pod policy-1', detail: 'listen EADDRINUSE: address already in use 0.0.0.0:10250' },
      },
    },
    {
      name: 'a Pod of EKS Fargate on the port of the kubelet',
      facts: onFargate(10250),
      expect: { messageId: 'kubelet', data: { port: 10250, node: 'fargate-ip-10-0-0-7', pod: 'policy-1' } },
    },
  ],
  reportsNothing: [
    { name: 'a Pod of EKS Fargate serves on another port', facts: onFargate(10260), outcome: 'pass' },
    {
      name: 'a dry run of the API server passes the webhook',
      facts: {
        ...onFargate(10250),
        probes: complete([[calloutId(webhook()), { ...probes([]), dryRun: admitted }]]),
      },
      outcome: 'pass',
    },
    {
      name: 'another Pod is on a node of another kind',
      facts: {
        ...onFargate(10250),
        pods: lists({
          'shop/policy': [...(onFargate(10250).pods?.getIfKnown('shop/policy') ?? []), replica(2)],
        }),
      },
      outcome: 'pass',
    },
    ...silences(unplaced(true)),
    { name: 'it crashes for another reason', facts: crashed(true, 'panic: no flag'), outcome: 'pass' },
    { name: 'the port is taken inside the Pod', facts: crashed(false, inUse), outcome: 'pass' },
    { name: 'the Pod asks for no port of its node', facts: only([unplaced(false)]), outcome: 'pass' },
  ],
  isUnknown: doubts,
});
