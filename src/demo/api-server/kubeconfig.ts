import type { DemoUser } from './authorization.ts';

/** A kubeconfig for one user. JSON, which is YAML. */
export const kubeconfig = (server: string, certificate: string, user: DemoUser): string =>
  `${JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'demo',
          cluster: {
            server,
            'certificate-authority-data': Buffer.from(certificate).toString('base64'),
          },
        },
      ],
      users: [{ name: user.name, user: { token: user.token } }],
      contexts: [{ name: 'demo', context: { cluster: 'demo', user: user.name } }],
      'current-context': 'demo',
    },
    undefined,
    2,
  )}\n`;
