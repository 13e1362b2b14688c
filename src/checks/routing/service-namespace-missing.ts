import { clientConfigEvidence, servedByService } from '../../facts/client-config.ts';
import { defineCheck } from '../check.ts';

export const serviceNamespaceMissing = defineCheck({
  meta: {
    id: 'service-namespace-missing',
    link: 'routing',
    title: 'Namespace of the Service does not exist',
    severity: 'error',
    consequence: 'failing',
    explains: { 'namespace-terminating': 1, 'service-missing': 3 },
    why: 'The API server resolves the Service before it connects. The namespace does not exist, so the call fails with `service "NAME" not found`.',
    advice:
      'If the product was uninstalled, delete what remains of it: `kubectl delete {kind} {configuration}`. Otherwise correct the namespace of the Service, or install the product again: `kubectl edit {kind} {configuration}`.',
    noRemedy: { because: 'what was in the namespace can only be installed again' },
    messages: { missing: 'Namespace {namespace} does not exist, so Service {service} does not exist' },
    follows: ['orphaned-configuration'],
  },
  requires: ['callouts', 'namespaces'],
  subjects: servedByService,
  run(callout, { namespaces }, find) {
    const { namespace, name } = callout.client.service;
    if (namespaces.get(namespace) !== undefined) return undefined;
    return find('missing', { namespace, service: name }, [
      clientConfigEvidence(callout, 'service.namespace', namespace),
      { object: { kind: 'Namespace', name: namespace }, value: 'not found' },
    ]);
  },
});
