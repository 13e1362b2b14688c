import { minorVersion } from '../../apiserver/server-version.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import { refOfPod } from '../../facts/workloads/workloads.ts';
import { listed } from '../../phrases/lists.ts';
import { defineCheck } from '../check.ts';

const versionOf = ({ spec }: Pod): string | undefined =>
  spec.containers
    .map(({ image }) => /:(v1\.\d+\.[^@]+)/.exec(image ?? '')?.[1])
    .find((one) => one !== undefined);

export const apiServersOfSeveralVersions = defineCheck({
  meta: {
    id: 'api-servers-of-several-versions',
    title: 'API servers run different minor versions',
    severity: 'info',
    why: 'During an upgrade of several control-plane nodes, a request reaches an API server of either version. The two may differ in the requests that reach a webhook, the accepted certificates and the error messages.',
    advice:
      "Finish the upgrade before you investigate intermittent errors: `kubectl -n kube-system get pods -l component=kube-apiserver -o jsonpath='{.items[*].spec.containers[*].image}'` shows how far it is.",
    noRemedy: { because: 'the upgrade of the control plane ends it' },
    messages: {
      differs: 'API servers run {versions}; this report is about {version}, which responded',
    },
    references: [
      'https://kubernetes.io/releases/version-skew-policy/#kube-apiserver',
      '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#test-minor-version-upgrades',
    ],
  },
  requires: ['apiServerPods', 'version'],
  subjects: ({ apiServerPods, version }) =>
    (apiServerPods.getIfKnown('kube-apiserver') ?? [])
      .filter((pod) => minorVersion(versionOf(pod) ?? version) !== minorVersion(version))
      .slice(0, 1)
      .map((pod) => ({ ref: refOfPod(pod) })),
  run(_pod, { apiServerPods, version = '' }, find) {
    const pods = apiServerPods.get('kube-apiserver') ?? [];
    const versions = [...new Set([version, ...pods.flatMap((pod) => versionOf(pod) ?? [])])];
    const evidence = pods.map((pod) => ({
      object: refOfPod(pod),
      field: 'image',
      value: versionOf(pod) ?? 'unknown',
    }));
    return find('differs', { versions: listed(versions), version }, evidence);
  },
});
