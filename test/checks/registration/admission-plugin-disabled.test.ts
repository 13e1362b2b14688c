import { admissionPluginDisabled } from '../../../src/checks/registration/admission-plugin-disabled.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, healthy, lists, pod } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { counting, metrics, metricsOf } from '../effect/counts.ts';

const plugin = 'ValidatingAdmissionWebhook';
const without = { disabled: ['validating'] } as const;
const enabled = { disabled: [] } as const;

const apiServers = (...commands: readonly (readonly string[])[]) => ({
  apiServerPods: lists({
    'kube-apiserver': commands.map((command, at) =>
      pod({
        metadata: { namespace: 'kube-system', name: `kube-apiserver-n${at + 1}` },
        spec: { containers: [{ name: 'kube-apiserver', command: ['kube-apiserver', ...command] }] },
      }),
    ),
  }),
});

describeCheck(admissionPluginDisabled, {
  reports: [
    {
      name: 'an API server whose requests do not pass the plugin',
      facts: healthy({ metrics: metrics([], undefined, without) }),
      expect: {
        messageId: 'all',
        confidence: 'observed',
        data: { kind: 'validating', plugin },
      },
    },
    {
      name: 'one of two API servers',
      facts: healthy({
        metrics: metricsOf([counting([], undefined, enabled), counting([], undefined, without)]),
      }),
      expect: {
        messageId: 'some',
        data: { kind: 'validating', plugin, count: 1, total: 2 },
      },
    },
    {
      name: 'a flag of the API server',
      facts: healthy(apiServers([`--disable-admission-plugins=PodSecurity,${plugin}`, '--secure-port=6443'])),
      expect: { messageId: 'all', confidence: 'observed' },
    },
    {
      name: 'a flag that is repeated: both lists count',
      facts: healthy(
        apiServers([`--disable-admission-plugins=${plugin}`, '--disable-admission-plugins=PodSecurity']),
      ),
      expect: { messageId: 'all' },
    },
    {
      name: 'a complete list of plugins without it',
      facts: healthy(apiServers(['--admission-control=NamespaceLifecycle,ResourceQuota'])),
      expect: { messageId: 'all', data: { kind: 'validating', plugin } },
    },
    {
      name: 'a flag of one API server, whatever the metrics of the others say',
      facts: healthy({
        ...apiServers([], ['--disable-admission-plugins', plugin]),
        metrics: metrics([], undefined, enabled),
      }),
      expect: { messageId: 'some', data: { kind: 'validating', plugin, count: 1, total: 2 } },
    },
  ],
  reportsNothing: [
    { name: 'both plugins run', facts: healthy({ metrics: metrics([], undefined, enabled) }) },
    {
      name: 'only the plugin of mutating webhooks is disabled',
      facts: healthy({ metrics: metrics([], undefined, { disabled: ['admit'] }) }),
    },
    { name: 'no request has shown it', facts: healthy({ metrics: metrics([]) }) },
    {
      name: 'another plugin is disabled',
      facts: healthy(apiServers(['--disable-admission-plugins=PodSecurity'])),
    },
    {
      name: 'a complete list of plugins with it, in two flags',
      facts: healthy(apiServers(['--admission-control=ResourceQuota', `--admission-control=${plugin}`])),
    },
    {
      name: 'further plugins are enabled',
      facts: healthy(apiServers(['--enable-admission-plugins=NodeRestriction'])),
    },
    { name: 'metrics are forbidden', facts: healthy({ metrics: forbidden('metrics') }) },
    {
      name: 'a conversion webhook: no plugin calls it',
      facts: healthy({ callouts: [conversion()], metrics: metrics([], undefined, without) }),
    },
  ],
});
