import { isAdmission } from '../../facts/callout.ts';
import { selects, selectsEverything, serviceSelects } from '../../facts/objects/label-selector.ts';
import { isOwnWorkload, refOfWorkload } from '../../facts/workloads/workloads.ts';
import { listed } from '../../phrases/lists.ts';
import { backendsWithWorkload, practiceFacts } from '../../pods/backend-practices.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { isSameInstallation } from '../../products/installation.ts';
import { productOf } from '../../products/of-webhook.ts';
import { defineCheck } from '../check.ts';

const shown = 3;

export const sharedNamespace = defineCheck({
  meta: {
    id: 'shared-namespace',
    title: 'Other workloads share the excluded namespace',
    severity: 'info',
    why: 'A webhook excludes its own namespace so that its Pods can always be created. Other workloads in that namespace are excluded with them: none of their objects are checked.',
    advice:
      '[look] List the other workloads there: `kubectl -n {namespace} get deployments,statefulsets,daemonsets`. [end] Move that workload, or the webhook, to a namespace of its own.',
    noRemedy: 'needs-its-owners-figures',
    messages: {
      others: 'Namespace {namespace} is excluded for {workload}, and with it {others}',
    },
    references: [
      '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#avoid-self-mutation',
    ],
  },
  requires: [...practiceFacts, 'namespaces'],
  subjects: backendsWithWorkload,
  run({ callout, namespace, workload, service }, { workloads, namespaces, services, callouts }, find) {
    if (!isAdmission(callout) || selectsEverything(callout.namespaceSelector)) return;
    const home = namespaces.get(namespace);
    if (home === undefined || selects(callout.namespaceSelector, home.metadata.labels ?? {})) return;
    // A selector that matches few namespaces excludes this one like most others.
    const all = namespaces.all();
    const covered = all.filter(({ metadata }) => selects(callout.namespaceSelector, metadata.labels ?? {}));
    if (covered.length * 2 < all.length) return;
    const sameProduct = new Set(
      callouts.flatMap(({ client }) =>
        client.service?.namespace === namespace ? [client.service.name] : [],
      ),
    );
    const behind = services
      .all()
      .filter(({ metadata }) => metadata.namespace === namespace && sameProduct.has(metadata.name));
    const { workloads: words = [] } = productOf(callout) ?? {};
    const others = (workloads.get(namespace) ?? []).filter((other) => {
      if (other.metadata.name === workload.metadata.name || !isOwnWorkload(other)) return false;
      if (isSameInstallation(workload, other)) return false;
      if (words.some((word) => other.metadata.name.includes(word))) return false;
      return ![service, ...behind].some(({ spec }) =>
        serviceSelects(spec.selector, other.spec.template.metadata?.labels),
      );
    });
    if (others.length === 0) return;
    return find(
      'others',
      {
        namespace,
        workload: workloadText(workload),
        others: listed(others.map(workloadText), { most: shown }),
      },
      others
        .slice(0, shown)
        .map((other) => ({ object: refOfWorkload(other), value: 'in the same namespace' })),
    );
  },
});
