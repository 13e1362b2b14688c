import { serverHasNoCertificate } from '../../../../src/checks/tls/handshake/server-has-no-certificate.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import type { Container } from '../../../../src/facts/objects/pod.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { pod } from '../../../support/snapshot.ts';
import { alertCases } from '../alert-cases.ts';
import { ended, issued, served } from '../serving.ts';

const { root } = issued();
const { reports, reportsNothing } = alertCases('internal error');

/** Servers without a certificate, with these containers. */
const withContainers = (...containers: readonly Container[]) => ({
  ...served(root, [ended('internal error'), ended('internal error')]),
  pods: complete([['shop/policy', [pod({ spec: { containers } })]]]),
});
/** The same, whose only container has this variable. */
const withVariable = (name: string, value: string) =>
  withContainers({ name: 'discovery', image: 'pilot', env: [{ name, value }] });

describeCheck(serverHasNoCertificate, {
  reports: [
    ...reports,
    {
      name: 'a variable with which the program writes no certificate',
      facts: withVariable('PILOT_CERT_PROVIDER', 'none'),
      expect: {
        messageId: 'switchedOff',
        data: { servers: 'both Pods', setting: 'PILOT_CERT_PROVIDER=none' },
      },
    },
    {
      name: 'a variable with which it writes one',
      facts: withVariable('PILOT_CERT_PROVIDER', 'istiod'),
      expect: { messageId: 'all' },
    },
    ...[
      ['CLIENT_CERT_PROVIDER', 'none'],
      ['MTLS_CERT_PROVIDER', 'disabled'],
    ].map(([name = '', value = '']) => ({
      name: `the variable ${name}, which is of other certificates`,
      facts: withVariable(name, value),
      expect: { messageId: 'all' as const },
    })),
    ...[8443, 15090].map((port) => ({
      name: `a variable of a sidecar, which declares port ${port}`,
      facts: withContainers(
        { name: 'webhook', ports: port === 8443 ? [] : [{ containerPort: 8443 }] },
        {
          name: 'istio-proxy',
          ports: [{ containerPort: port }],
          env: [{ name: 'PILOT_CERT_PROVIDER', value: 'none' }],
        },
      ),
      expect: { messageId: 'all' as const },
    })),
    {
      name: 'a variable of another container',
      facts: withContainers(
        { name: 'webhook', ports: [{ containerPort: 8443 }] },
        { name: 'agent', env: [{ name: 'CERT_PROVIDER', value: 'none' }] },
      ),
      expect: { messageId: 'all' },
    },
    {
      name: 'a variable about certificates of clients',
      facts: withVariable('REQUIRE_CLIENT_CERT', 'false'),
      expect: { messageId: 'all' },
    },
  ],
  reportsNothing,
});
