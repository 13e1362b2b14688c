import { networkPluginFailing } from '../../../src/checks/network/network-plugin-failing.ts';
import { nothingRead } from '../../../src/facts/lookup.ts';
import type { Pod } from '../../../src/facts/objects/pod.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists, pod, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { allows, proxySays, replica, tried, unready } from '../probed.ts';
import { ago, event, events, only, status, waiting } from '../replica/replicas.ts';

const [waitingPod] = [waiting('ContainerCreating')];
const { nodeName = '' } = pod().spec;
const crash = status({ restartCount: 9, state: { waiting: { reason: 'CrashLoopBackOff' } } });
/** A Pod of the network plugin that is not Ready. */
const plugin = (
  over: {
    node?: string;
    seconds?: number;
    containers?: Pod['status']['containerStatuses'];
    labels?: Pod['metadata']['labels'];
  } = {},
) => {
  const { node = nodeName, seconds = 3600, containers = [crash] } = over;
  const { labels = { 'k8s-app': 'calico-node' } } = over;
  const made = pod({
    metadata: { name: 'calico-node-x', namespace: 'kube-system', labels, creationTimestamp: ago(seconds) },
  });
  return {
    ...made,
    spec: { ...made.spec, nodeName: node },
    status: {
      ...made.status,
      conditions: [{ type: 'Ready', status: 'False' as const }],
      ...(containers && { containerStatuses: containers }),
    },
  };
};
const networkPods = (...pods: readonly Pod[]) => ({ networkPods: lists({ app: pods }) });
const unprobed: Partial<Facts> = { probes: nothingRead({ what: 'probes', why: 'not-requested' }) };
const sandboxError = (error: string, ...plugins: readonly Pod[]) =>
  only([waitingPod], {
    ...events(event('FailedCreatePodSandBox', `Failed to create pod sandbox: ${error}`)),
    ...networkPods(...plugins),
    ...unprobed,
  });
const sandbox = (...plugins: readonly Pod[]) => sandboxError('plugin type="calico" failed (add)', ...plugins);
const lost = { ...allows, proxy: proxySays('dial tcp 198.51.100.11:8443: i/o timeout') };
const found = {
  plugin: 'kube-system/calico-node-x',
  failure: 'is crash-looping',
  node: nodeName,
  pods: 'Pod policy-1',
};

/** A Pod that is not Ready, whose process responds inside it. */
const cutOff = (proxy = lost.proxy, over: Partial<Facts> = {}) =>
  tried([{ ...allows, proxy }], {
    pods: [replica(1, { spec: { nodeName, containers: [] }, ...unready })],
    facts: { ...networkPods(plugin()), ...over },
  });
const ofNodes = { operations: ['UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['nodes/status'] };
const interceptsNodes = (failurePolicy: 'Fail' | 'Ignore', resource = 'nodes/status'): Partial<Facts> => ({
  callouts: [webhook({ rules: [{ ...ofNodes, resources: [resource] }], failurePolicy })],
});
const byPlugin = (labels: Pod['metadata']['labels'], resource?: string) =>
  cutOff(lost.proxy, { ...interceptsNodes('Fail', resource), ...networkPods(plugin({ labels })) });

describeCheck(networkPluginFailing, {
  reports: [
    {
      name: 'a Pod that gets no sandbox',
      facts: sandbox(plugin()),
      expect: { messageId: 'sandbox', data: found },
    },
    {
      name: 'a plugin that runs and is not Ready',
      facts: sandbox(plugin({ containers: [status()] })),
      expect: { messageId: 'sandbox', data: { ...found, failure: 'is not Ready' } },
    },
    {
      name: 'a sandbox that is not created in time',
      facts: sandboxError('rpc error: code = DeadlineExceeded desc = context deadline exceeded', plugin()),
      expect: { messageId: 'sandbox', data: found },
    },
    {
      name: 'packets that are lost',
      facts: tried([lost], { facts: networkPods(plugin()) }),
      expect: { messageId: 'loss', data: found },
    },
    {
      name: 'packets to a Pod that is not Ready for this reason',
      facts: cutOff(),
      expect: { messageId: 'loss', data: found },
    },
    {
      name: 'that the webhook intercepts what the plugin updates',
      facts: cutOff(lost.proxy, interceptsNodes('Fail')),
      expect: {
        messageId: 'deadlock',
        data: { ...found, webhook: 'policy.example.com' },
        names: { place: 'kube-system', pod: 'calico-node-x' },
      },
    },
    {
      name: 'only the loss if the webhook fails open: the updates are admitted',
      facts: cutOff(lost.proxy, interceptsNodes('Ignore')),
      expect: { messageId: 'loss' },
    },
    {
      name: 'that the webhook intercepts the annotations that flannel writes',
      facts: byPlugin({ app: 'flannel' }),
      expect: { messageId: 'deadlock' },
    },
    ...(['aws-node', 'kindnet', 'cilium'] as const).map((name) => ({
      name: `only the loss if the plugin is ${name}, which updates no Node`,
      facts: byPlugin({ 'k8s-app': name }),
      expect: { messageId: 'loss' as const },
    })),
    {
      name: 'only the loss if flannel, which updates the status alone, is not intercepted',
      facts: byPlugin({ app: 'flannel' }, 'nodes'),
      expect: { messageId: 'loss' },
    },
  ],
  reportsNothing: [
    { name: 'the plugin is Ready', facts: sandbox(pod()), outcome: 'not-applicable' },
    {
      name: 'the runtime of the Pod is missing on the node',
      facts: sandboxError('failed to get sandbox runtime: no runtime for "runsc" is configured', plugin()),
      outcome: 'pass',
    },
    {
      name: 'the plugin just started',
      facts: sandbox(plugin({ seconds: 5, containers: [] })),
      outcome: 'not-applicable',
    },
    { name: 'the plugin fails on another node', facts: sandbox(plugin({ node: 'other' })), outcome: 'pass' },
    {
      name: 'the control plane reaches the Pod',
      facts: tried([allows], { facts: networkPods(plugin()) }),
      outcome: 'pass',
    },
    {
      name: 'the control plane reaches a Pod that is not Ready',
      facts: cutOff(allows.proxy),
      outcome: 'pass',
    },
    {
      name: 'packets to one of two Pods are lost',
      facts: tried([allows, lost], { facts: networkPods(plugin()) }),
      outcome: 'pass',
    },
  ],
  isUnknown: [
    {
      name: 'Pods of the backend must not be read',
      facts: { ...sandbox(plugin()), pods: forbidden() },
    },
  ],
});
