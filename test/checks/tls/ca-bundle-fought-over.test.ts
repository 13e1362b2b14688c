import { caBundleFoughtOver } from '../../../src/checks/tls/ca-bundle-fought-over.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { webhook } from '../../support/snapshot.ts';

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

describeCheck(caBundleFoughtOver, {
  reports: [
    {
      name: 'two owners',
      facts: owned(['argocd-controller', 'cainjector'], asking),
      expect: {
        messageId: 'both',
        data: { restorer: 'argocd-controller', injector: "cert-manager's cainjector" },
      },
    },
    {
      name: 'a restorer where an injector is asked',
      facts: owned(['kustomize-controller'], asking),
      expect: { messageId: 'overwritten' },
    },
  ],
  staysSilent: [
    { name: 'the injector alone owns it', facts: owned(['cainjector'], asking), outcome: 'pass' },
    { name: 'the restorer alone keeps it', facts: owned(['argocd-controller']), outcome: 'pass' },
    { name: 'a person wrote it once', facts: owned(['kubectl-edit'], asking), outcome: 'pass' },
    { name: 'nothing is known', facts: { callouts: [webhook()] }, outcome: 'pass' },
  ],
});
