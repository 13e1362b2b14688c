import { clientConfigEvidence, type ServiceReference, servedByService } from '../../facts/callout.ts';
import { ageIfRecent } from '../../facts/objects/metadata.ts';
import { otherNamespaces } from '../../facts/objects/suggested-service.ts';
import { listed } from '../../phrases/lists.ts';
import { defineCheck } from '../check.ts';

/** Names in kubebuilder's manifests: kustomize sets the namespace and the prefix (kubebuilder kustomize/v2 config/default). */
const isScaffold = ({ namespace, name }: ServiceReference): boolean =>
  namespace === 'system' && name.endsWith('webhook-service');

export const serviceNamespaceMissing = defineCheck({
  meta: {
    id: 'service-namespace-missing',
    title: 'Namespace of the Service does not exist',
    consequence: 'failing',
    why: 'The API server resolves the Service before it connects. The namespace does not exist, so the call fails with `service "NAME" not found`.',
    advice:
      '[end] Correct the namespace of the Service, or install the product again: `kubectl edit {kind} {configuration}`. [end] If the product was uninstalled, delete the configuration that it left: `kubectl delete {kind} {leftover}`.',
    sharedCause: true,
    messages: {
      missing: {
        text: 'Namespace {namespace} does not exist, and no other namespace has a Service {service}',
        advice:
          '[end] If the product was uninstalled, delete the configuration that it left: `kubectl delete {kind} {leftover}`. [end] If the product is needed, install the product again, or correct the reference to its Service: `kubectl edit {kind} {configuration}`.',
      },
      alone: 'Namespace {namespace} does not exist',
      young: {
        text: 'Namespace {namespace} does not exist; this object was created {age} s ago: an installation is incomplete, or the namespace was deleted since',
        advice:
          '[end] If an installation is in progress, read its output: another webhook may refuse the namespace. [end] Create the namespace, and repeat the installation: `kubectl create namespace {namespace}`. [end] Otherwise correct the namespace of the Service: `kubectl edit {kind} {configuration}`. [end] If the product was uninstalled, delete the configuration that it left: `kubectl delete {kind} {leftover}`.',
      },
      scaffold: {
        text: "Namespace {namespace} does not exist: {namespace}/{service} is the placeholder of kubebuilder's manifests, and nothing has replaced it",
        advice:
          '[end] Apply the output of kustomize for `config/default`, not the files of `config/crd` or `config/webhook`. [end] If the program sets the Service when it starts, read its log. [end] Otherwise correct the reference: `kubectl edit {kind} {configuration}`.',
      },
      otherNamespace:
        'Namespace {namespace} does not exist; a Service {service} is in namespace {namespaces}',
    },
    follows: ['orphaned-configuration'],
  },
  requires: ['callouts', 'namespaces', 'services'],
  subjects: servedByService,
  run(callout, { namespaces, services, takenAt }, find) {
    const { namespace, name } = callout.client.service;
    if (namespaces.get(namespace) !== undefined) return undefined;
    const evidence = [
      clientConfigEvidence(callout, 'service.namespace', namespace),
      { object: { kind: 'Namespace', name: namespace }, value: 'not found' },
    ];
    const elsewhere = otherNamespaces(callout.client.service, services);
    const age = ageIfRecent(callout.metadata, takenAt);
    if (elsewhere.length === 0 && isScaffold(callout.client.service))
      return find('scaffold', { namespace, service: name }, evidence);
    if (elsewhere.length === 0 && age !== undefined)
      return find('young', { namespace, age: Math.round(age) }, evidence);
    // Services of other namespaces may not be readable.
    if (elsewhere.length === 0 && !services.isAbsent(`*/${name}`))
      return find('alone', { namespace }, evidence);
    return elsewhere.length === 0
      ? find('missing', { namespace, service: name }, evidence)
      : find(
          'otherNamespace',
          { namespace, service: name, namespaces: listed(elsewhere, { word: 'or' }) },
          evidence,
        );
  },
});
