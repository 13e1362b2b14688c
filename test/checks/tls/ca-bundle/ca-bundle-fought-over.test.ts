import { caBundleFoughtOver } from '../../../../src/checks/tls/ca-bundle/ca-bundle-fought-over.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { webhook } from '../../../support/snapshot.ts';

const owns = (manager: string) => ({
  manager,
  operation: 'Update',
  fieldsV1: {
    'f:webhooks': { 'k:{"name":"policy.example.com"}': { 'f:clientConfig': { 'f:caBundle': {} } } },
  },
});
const owned = (managers: readonly string[], annotations: Readonly<Record<string, string>> = {}) => ({
  callouts: [webhook({ metadata: { name: 'policy', annotations, managedFields: managers.map(owns) } })],
});
const asking = { 'cert-manager.io/inject-ca-from': 'shop/policy' };

const applied = (text: string, annotations: Readonly<Record<string, string>> = asking) =>
  owned(['cainjector'], {
    ...annotations,
    'argocd.argoproj.io/tracking-id':
      'shop:admissionregistration.k8s.io/ValidatingWebhookConfiguration:/policy',
    'kubectl.kubernetes.io/last-applied-configuration': text,
  });
const manifest = (caBundle?: unknown, name = 'policy.example.com'): string =>
  JSON.stringify({ webhooks: [{ name, clientConfig: { caBundle } }] });

describeCheck(caBundleFoughtOver, {
  reports: [
    {
      name: 'a declared caBundle that the injector has replaced',
      facts: applied(manifest('Cg==')),
      expect: {
        messageId: 'declared',
        data: { restorer: 'Argo CD Application shop', injector: "cert-manager's cainjector" },
      },
    },
    {
      name: 'two owners',
      facts: owned(['argocd-controller', 'cainjector'], asking),
      expect: {
        messageId: 'both',
        data: { restorer: 'argocd-controller', injector: "cert-manager's cainjector" },
      },
    },
    {
      name: 'a restorer beside an injection annotation',
      facts: owned(['kustomize-controller'], asking),
      expect: { messageId: 'overwritten' },
    },
  ],
  reportsNothing: [
    { name: 'the manifest declares none', facts: applied(manifest()), outcome: 'pass' },
    { name: 'it declares that of another webhook', facts: applied(manifest('Cg==', 'x')), outcome: 'pass' },
    { name: 'it declares the same', facts: applied(manifest(webhook().client.caBundle)), outcome: 'pass' },
    { name: 'there is no injection annotation', facts: applied(manifest('Cg=='), {}), outcome: 'pass' },
    { name: 'the annotation holds no manifest', facts: applied('null'), outcome: 'pass' },
    { name: 'the annotation is not JSON', facts: applied('{'), outcome: 'pass' },
    {
      name: 'it was applied once, and is not restored',
      facts: owned(['cainjector'], {
        ...asking,
        'kubectl.kubernetes.io/last-applied-configuration': manifest('Cg=='),
      }),
      outcome: 'pass',
    },
    { name: 'the injector alone owns it', facts: owned(['cainjector'], asking), outcome: 'pass' },
    { name: 'the restorer alone keeps it', facts: owned(['argocd-controller']), outcome: 'pass' },
    { name: 'a person wrote it once', facts: owned(['kubectl-edit'], asking), outcome: 'pass' },
    { name: 'nothing is known', facts: { callouts: [webhook()] }, outcome: 'pass' },
  ],
});
