import { caBundleOverwritten } from '../../../../src/checks/tls/ca-bundle/ca-bundle-overwritten.ts';
import { nothingRequested } from '../../../../src/collect/collectors/catalogue.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { forbidden } from '../../../support/unread.ts';
import { anotherRoot, issued, served } from '../serving.ts';
import { empty, inShop, patchJob, withBundle } from '../writers.ts';

const argo = { 'argocd.argoproj.io/tracking-id': 'platform:admissionregistration.k8s.io/x:/policy' };
const inject = { 'service.beta.openshift.io/inject-cabundle': 'true' };
const created = '2025-12-01T00:00:00Z';
const later = '2025-12-20T00:00:00Z';

const applied = (caBundle: string) => ({
  'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({
    webhooks: [{ name: 'policy.example.com', clientConfig: { caBundle } }],
  }),
});
/** The writer of the configuration, with or without the caBundle. */
const wrote = (manager: string, time: string, withCaBundle: boolean) => ({
  manager,
  operation: 'Update',
  time,
  fieldsV1: {
    'f:webhooks': {
      'k:{"name":"policy.example.com"}': {
        'f:clientConfig': withCaBundle ? { 'f:caBundle': {} } : { 'f:service': {} },
      },
    },
  },
});
const kept = (
  annotations: Readonly<Record<string, string>>,
  managedFields: readonly ReturnType<typeof wrote>[] = [],
) => ({ metadata: { name: 'policy', creationTimestamp: created, annotations, managedFields } });
const done = patchJob({ succeeded: 1, completionTime: '2025-12-01T00:01:00Z' });

const expired = issued({ server: { notAfter: new Date('2025-12-31T00:00:00Z') } });

describeCheck(caBundleOverwritten, {
  reports: [
    {
      name: 'a caBundle that Argo CD applies, of another CA than that of the serving certificate',
      facts: withBundle(anotherRoot('gone').root, kept(argo, [wrote('argocd-controller', later, true)])),
      expect: {
        messageId: 'declaredOther',
        data: { writer: 'Argo CD Application platform', detail: 'field manager argocd-controller' },
      },
    },
    {
      name: 'a literal empty caBundle in what Argo CD applies',
      facts: withBundle(empty, kept({ ...argo, ...inject, ...applied('') })),
      expect: {
        messageId: 'declaredEmpty',
        data: { writer: 'Argo CD Application platform', detail: 'last-applied-configuration' },
      },
    },
    {
      name: 'a placeholder that a chart writes at each upgrade',
      facts: withBundle('\n', {
        ...kept({ 'meta.helm.sh/release-name': 'policy', 'meta.helm.sh/release-namespace': 'shop' }, [
          wrote('helm', later, true),
        ]),
      }),
      expect: {
        messageId: 'declaredEmpty',
        data: { writer: 'Helm release shop/policy', detail: 'field manager helm' },
      },
    },
    {
      name: 'a replacement at each sync',
      facts: withBundle(
        empty,
        kept({ ...argo, 'argocd.argoproj.io/sync-options': 'Prune=false,Replace=true' }),
      ),
      expect: {
        messageId: 'replaced',
        data: { writer: 'Argo CD Application platform', detail: 'Replace=true' },
      },
    },
    {
      name: 'a configuration that was written again after its Job had patched it',
      facts: withBundle(empty, kept(argo, [wrote('argocd-controller', later, false)]), {
        jobs: inShop(done),
      }),
      expect: { messageId: 'overwritten', data: { writer: 'Argo CD Application platform', detail: later } },
    },
  ],
  reportsNothing: [
    {
      name: 'Argo CD applies the right caBundle, and the serving certificate has expired',
      facts: withBundle(issued().root, kept(argo, [wrote('argocd-controller', later, true)]), {
        probes: served('', [{ presented: expired.presented }]).probes ?? nothingRequested().probes,
      }),
    },
    {
      name: 'Argo CD applies no caBundle, and that of another writer is of another CA',
      facts: withBundle(anotherRoot('gone').root, kept(argo, [wrote('argocd-controller', later, false)])),
      outcome: 'pass',
    },
    {
      name: 'a manifest with an empty caBundle was applied once, and it is still empty',
      facts: withBundle(empty, kept(applied(''), [wrote('kubectl-client-side-apply', created, false)])),
      outcome: 'pass',
    },
    {
      name: 'nothing shows that it was filled in',
      facts: withBundle(empty, kept(argo, [wrote('argocd-controller', later, false)])),
      outcome: 'pass',
    },
    {
      name: 'the Certificate that its injector needs is missing, which another check reports',
      facts: withBundle(empty, kept({ ...argo, 'cert-manager.io/inject-ca-from': 'policy', ...applied('') })),
      outcome: 'pass',
    },
  ],
  isUnknown: [{ name: 'Jobs could not be listed', facts: withBundle(empty, {}, { jobs: forbidden() }) }],
});
