import { type AdmissionCallout, isAdmission } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { webhookPlugins } from '../../facts/metrics.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { World } from '../../facts/snapshot.ts';
import { webhookTypes } from '../../facts/webhook-counts.ts';
import { settings } from '../../facts/workloads/leaders.ts';
import { refOfPod } from '../../facts/workloads/workloads.ts';
import { defineCheck } from '../check.ts';

const required = ['callouts', 'metrics', 'apiServerPods'] as const;
const disabling = 'disable-admission-plugins';
/** Deprecated since 1.10; excludes the other flags (computePluginNames, pkg/kubeapiserver/options/admission.go). */
const listing = 'admission-control';

/** The flag of a kube-apiserver that disables the plugin, and its value: it names the plugin, or lists all other ones. */
function disablingFlag(plugin: string, pod: Pod): readonly [flag: string, value: string] | undefined {
  const flags = pod.spec.containers.flatMap(settings);
  // A repeated flag adds to the list (pflag StringSlice).
  const listOf = (flag: string) =>
    flags.flatMap(([name, names = '']) => (name === flag ? names.split(',') : []));
  const [disabled, listed] = [listOf(disabling), listOf(listing)];
  if (disabled.includes(plugin)) return [disabling, disabled.join(',')];
  return listed.length > 0 && !listed.includes(plugin) ? [listing, listed.join(',')] : undefined;
}

/** Each API server that is known: undefined if it runs the plugin, else what shows that it does not. */
function serversWithout(
  plugin: string,
  { ref, kind }: AdmissionCallout,
  { metrics, apiServerPods }: World<(typeof required)[number]>,
): readonly (Evidence | undefined)[] {
  const pods = apiServerPods.getIfKnown('kube-apiserver') ?? [];
  if (pods.length > 0) {
    return pods.map((pod) => {
      const [flag, value = ''] = disablingFlag(plugin, pod) ?? [];
      return flag === undefined ? undefined : { object: refOfPod(pod), field: `--${flag}`, value };
    });
  }
  return (metrics.getIfKnown('server')?.servers ?? []).map(({ server, disabled = [] }) =>
    disabled.includes(webhookTypes[kind])
      ? {
          object: ref,
          value: `the metrics of ${server} count requests of plugin ResourceQuota, none of ${plugin}`,
        }
      : undefined,
  );
}

export const admissionPluginDisabled = defineCheck({
  meta: {
    id: 'admission-plugin-disabled',
    title: 'Admission plugin for webhooks is disabled',
    consequence: 'failing',
    confidence: 'observed',
    implies: 'admitted-anyway',
    why: 'Webhooks are called by two admission plugins of kube-apiserver, MutatingAdmissionWebhook and ValidatingAdmissionWebhook, which are enabled unless `--disable-admission-plugins` names them, or the deprecated `--admission-control` lists other plugins only. Without its plugin, no webhook of that kind is called, and every request is admitted unchecked whatever the failurePolicy.',
    advice:
      "[look] Read the flags: `kubectl -n kube-system get pods -l component=kube-apiserver -o jsonpath='{.items[*].spec.containers[*].command}'`. [end] Remove the plugin from `--disable-admission-plugins`, or add it to `--admission-control`, on every control plane node (kubeadm: `/etc/kubernetes/manifests/kube-apiserver.yaml`). [end] On a managed control plane, ask the provider. [end] Then review the objects that were created until then.",
    noRemedy: { because: 'the flags of kube-apiserver are set on its own host' },
    messages: {
      all: 'The API server calls no {kind} webhook: admission plugin {plugin} is disabled',
      some: {
        text: '{count} of {total} API servers call no {kind} webhook: admission plugin {plugin} is disabled',
        consequence: 'degraded',
      },
    },
    sharedCause: true,
    references: [
      '/docs/reference/access-authn-authz/admission-controllers/#which-plugins-are-enabled-by-default',
    ],
  },
  requires: required,
  subjects: ({ callouts }) => callouts.filter(isAdmission),
  run(callout, facts, find) {
    const { kind } = callout;
    const plugin = webhookPlugins[webhookTypes[kind]];
    const servers = serversWithout(plugin, callout, facts);
    const evidence = servers.filter((one) => one !== undefined);
    if (evidence.length === 0) return undefined;
    const data = { kind, plugin };
    const total = servers.length;
    if (evidence.length === total) return find('all', data, evidence);
    return find('some', { ...data, count: evidence.length, total }, evidence);
  },
});
