import { caBundleEmpty } from '../../../../src/checks/tls/ca-bundle/ca-bundle-empty.ts';
import type { ProbeConnection } from '../../../../src/facts/probes.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { aggregatedApi, conversion, healthy, webhook } from '../../../support/snapshot.ts';
import { dryRun, triedUrl } from '../../probed.ts';
import { about, anchor, encoded, trusting } from '../bundles.ts';

const service = { namespace: 'shop', name: 'policy', port: 443 };
/** The Service of the API server itself. */
const itself = { namespace: 'default', name: 'kubernetes', port: 443 };
const annotated = (annotations: Readonly<Record<string, string>>) =>
  trusting('', { metadata: { name: 'policy', annotations } });

/** A URL without a caBundle, and the error of a call in this run. */
function atUrl(cause: string) {
  const url = 'https://hooks.example.com/validate';
  const detail = `failed calling webhook "policy.example.com": failed to call webhook: Post "${url}?timeout=10s": ${cause}`;
  const answered: ProbeConnection = { way: 'direct', reviews: [] };
  return {
    ...triedUrl(answered, dryRun(cause === '' ? '' : detail)),
    callouts: [webhook({ client: { url } })],
  };
}

describeCheck(caBundleEmpty, {
  reports: [
    {
      name: 'a URL whose authority the API server does not know',
      facts: atUrl('tls: failed to verify certificate: x509: certificate signed by unknown authority'),
      expect: { messageId: 'atUrl', data: { host: 'hooks.example.com' }, confidence: 'observed' },
    },
    {
      name: 'a webhook without a caBundle',
      facts: trusting(''),
      expect: { messageId: 'systemRoots', data: { host: 'policy.shop.svc' }, confidence: 'derived' },
    },
    {
      name: 'a bundle that is absent',
      facts: about(webhook({ client: { service } })),
      expect: { messageId: 'systemRoots' },
    },
    {
      name: 'white space in a CRD',
      facts: about(conversion({ client: { service, caBundle: encoded(' \n') } })),
      expect: { messageId: 'systemRoots' },
    },
    {
      name: 'an APIService at the Service of the API server itself',
      facts: about(aggregatedApi({ client: { service: itself, caBundle: '' } })),
      expect: { messageId: 'systemRoots' },
    },
    {
      name: 'another port of that Service',
      facts: about(webhook({ client: { service: { ...itself, port: 6443 } } })),
      expect: { messageId: 'systemRoots' },
    },
    {
      name: 'an APIService',
      facts: about(aggregatedApi({ client: { service, caBundle: '' } })),
      expect: { messageId: 'systemRoots' },
    },
    {
      name: 'what cert-manager should have filled in',
      facts: annotated({ 'cert-manager.io/inject-ca-from': 'shop/policy' }),
      expect: {
        messageId: 'notInjected',
        data: { injector: "cert-manager's cainjector", annotation: 'cert-manager.io/inject-ca-from' },
      },
    },
    {
      name: 'what OpenShift should have filled in',
      facts: annotated({ 'service.beta.openshift.io/inject-cabundle': 'true' }),
      expect: { messageId: 'notInjected' },
    },
    {
      name: 'what the product itself should have filled in',
      facts: trusting('', { webhook: 'validation.gatekeeper.sh' }),
      expect: { messageId: 'notWritten', data: { writer: "Gatekeeper's certificate rotator" } },
    },
    {
      name: 'what an operator in another workload should have filled in',
      facts: trusting('', { webhook: 'virt-api-validator.kubevirt.io' }),
      expect: { messageId: 'notWrittenElsewhere', data: { writer: "KubeVirt's virt-operator" } },
    },
    {
      name: 'what an operator should have filled in, whose Pods are behind this Service',
      facts: trusting('', {
        webhook: 'kubevirt-validator.kubevirt.io',
        client: { service: { namespace: 'kubevirt', name: 'kubevirt-operator-webhook', port: 443 } },
      }),
      expect: { messageId: 'notWritten', data: { writer: "KubeVirt's virt-operator" } },
    },
    ...(
      [
        ['consul-connect-injector.consul.hashicorp.com', 'notWrittenElsewhere'],
        ['clusterwide-privileged-pods.kubewarden.admission', 'notWrittenElsewhere'],
        ['webhook.cert-manager.io', 'notWrittenElsewhere'],
        ['vcluster.cnpg.io', 'notWritten'],
        ['elastic-es-validation-v1.k8s.elastic.co', 'notWritten'],
        ['sidecar-injector.dapr.io', 'notWritten'],
        ['vscaledobject.kb.io', 'notWrittenElsewhere'],
        ['webhook.pod.dynatrace.com', 'notWrittenElsewhere'],
      ] as const
    ).map(([webhook, messageId]) => ({
      name: `what the operator of ${webhook} should have filled in, which may be the backend`,
      facts: trusting('', { webhook }),
      expect: { messageId },
    })),
    {
      name: 'an annotation that asks for nothing',
      facts: annotated({ 'service.beta.openshift.io/inject-cabundle': 'false' }),
      expect: { messageId: 'systemRoots' },
    },
  ],
  reportsNothing: [
    { name: 'a URL has a certificate of a public authority', facts: atUrl(''), outcome: 'pass' },
    { name: 'a call to a URL fails for another reason', facts: atUrl('EOF'), outcome: 'pass' },
    { name: 'there is a bundle', facts: trusting(anchor(-10, 300)), outcome: 'pass' },
    { name: 'there are words', facts: trusting('words'), outcome: 'pass' },
    {
      name: 'a URL is called',
      facts: about(webhook({ client: { url: 'https://hooks.example.com', caBundle: '' } })),
      outcome: 'pass',
    },
    {
      name: 'certificates are not verified',
      facts: about(aggregatedApi({ insecureSkipTLSVerify: true, client: { service } })),
      outcome: 'not-applicable',
    },
    {
      name: 'the API server calls itself',
      facts: about(
        webhook({ client: { service: { ...itself, path: '/apis/policy.example.com/v1/reviews' } } }),
      ),
      outcome: 'not-applicable',
    },
    { name: 'all is well', facts: healthy(), outcome: 'pass' },
  ],
});
