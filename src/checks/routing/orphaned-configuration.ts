import { servedByService } from '../../facts/callout.ts';
import { keyOf } from '../../facts/objects.ts';
import { otherNamespaces } from '../../facts/suggested-service.ts';
import { belongsTo, installationOf } from '../../products/installation.ts';
import { isRestored } from '../../products/of-metadata.ts';
import { defineCheck } from '../check.ts';

export const orphanedConfiguration = defineCheck({
  meta: {
    id: 'orphaned-configuration',
    link: 'routing',
    title: 'Product is no longer installed',
    severity: 'error',
    consequence: 'failing',
    explains: { 'service-missing': 2, 'call-cut': 2 },
    why: 'Webhook configurations, CRDs and APIServices are cluster-scoped: they remain when a product is uninstalled or its namespace is deleted, and the API server continues to call them.',
    advice:
      'If the product is not needed, delete the object: `kubectl delete {kind} {configuration}` (deleting a CRD deletes all its objects). Otherwise install the product again.',
    messages: {
      namespaceLeaving:
        'Namespace {namespace} has been terminating since {since}, and {installation}, whose configuration this is, is not restored',
      namespaceGone:
        'Namespace {namespace} of {installation} no longer exists, with all its objects; this configuration remains',
      nothingLeft: 'No workload of {installation} is left in namespace {namespace}',
    },
  },
  requires: ['callouts', 'services', 'namespaces', 'workloads'],
  subjects: ({ callouts, services }) =>
    servedByService({ callouts }).filter(({ client: { service } }) => {
      const key = keyOf(service);
      return services.isAbsent(key);
    }),
  run(callout, { callouts, services, namespaces, workloads }, find) {
    const { metadata } = callout;
    const installation = installationOf(callout);
    // The controller that restores the object may also restore the rest of the installation.
    if (isRestored(metadata)) return;

    const { namespace, name } = callout.client.service;
    const since = namespaces.get(namespace)?.metadata.deletionTimestamp;
    if (since !== undefined) {
      const absent = { kind: 'Namespace', name: namespace };
      const data = { installation: installation?.name ?? metadata.name, namespace, since };
      const evidence = { object: absent, field: 'metadata.deletionTimestamp', value: since };
      return { ...find('namespaceLeaving', data, [evidence]), since };
    }
    if (installation === undefined) return;
    // The product runs in another namespace, and only this object names its Service: the reference is wrong.
    const isNamedElsewhere = callouts.some(
      ({ client: { service } }) => service?.name === name && service.namespace !== namespace,
    );
    if (otherNamespaces(callout.client.service, services).length > 0 && !isNamedElsewhere) return;
    const homes = [...new Set([namespace, installation.namespace ?? namespace])];
    const left = homes.filter((home) => namespaces.get(home) !== undefined);
    const words = [...installation.words, name];
    if (left.some((home) => (workloads.get(home) ?? []).some((workload) => belongsTo(workload, words))))
      return;
    const gone = namespaces.get(namespace) === undefined;
    const data = { installation: installation.name, namespace };
    return find(gone ? 'namespaceGone' : 'nothingLeft', data, [installation.evidence]);
  },
});
