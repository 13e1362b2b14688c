import { servingCertificateNameMismatch } from '../../../src/checks/tls/serving-certificate-name-mismatch.ts';
import type { Service } from '../../../src/facts/objects.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists, objects, pod, service } from '../../support/snapshot.ts';
import { faultTable, issued, served } from './serving.ts';

const certificateFor = (dns: string) => issued({ server: { names: [{ dns }] } });

/** The Pod policy-1 serves the certificate of a name. */
const serving = (dns: string, own: ReturnType<typeof pod>, others: readonly Service[] = []) => {
  const { presented, root } = certificateFor(dns);
  return served(root, [{ presented }], {
    services: objects(service(), ...others),
    pods: lists({ 'shop/policy': [own] }),
  });
};

const other = (app: string): Service => ({
  ...service(),
  metadata: { namespace: 'shop', name: 'web' },
  spec: { ...service().spec, selector: { app } },
});

const twoServers = pod({
  spec: {
    containers: [
      { name: 'webhook', ports: [{ name: 'webhook', containerPort: 9443 }] },
      { name: 'proxy', ports: [{ name: 'https', containerPort: 8443 }] },
    ],
  },
});

const table = faultTable(certificateFor('policy.shop.svc.cluster.local'));

describeCheck(servingCertificateNameMismatch, {
  ...table,
  reports: [
    ...table.reports,
    {
      name: 'a Pod that serves the certificate of a Service that does not select it',
      facts: serving('web.shop.svc', pod(), [other('web')]),
      expect: {
        messageId: 'strange-pods',
        data: { service: 'shop/policy', pod: 'Pod policy-1', other: 'shop/web', host: 'policy.shop.svc' },
      },
    },
    {
      name: 'a Pod that serves the certificate of another Service that selects it',
      facts: serving('web.shop.svc', pod(), [other('policy')]),
      expect: {
        messageId: 'same-pods',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          other: 'shop/web',
          host: 'policy.shop.svc',
        },
      },
    },
    {
      name: 'the port of another container, beside the one with the port of the webhook',
      facts: serving('localhost', twoServers),
      expect: {
        messageId: 'other-container',
        data: {
          service: 'shop/policy',
          port: 8443,
          container: 'proxy',
          names: 'localhost',
          host: 'policy.shop.svc',
          owner: 'webhook',
          declared: 9443,
        },
      },
    },
    {
      name: 'the certificate of a Service that does not exist',
      facts: serving('web.shop.svc', pod()),
      expect: { messageId: 'all' },
    },
  ],
});
