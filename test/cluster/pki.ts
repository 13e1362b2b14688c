import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { authority, issue } from '../support/certificates.ts';
import { network } from './network.ts';

/**
 * The users with a client certificate and a kubeconfig: name → subject, as the built-in RBAC roles require
 * it.
 */
const users = {
  admin: { cn: 'admin', organizations: ['system:masters'] },
  'kube-controller-manager': { cn: 'system:kube-controller-manager' },
  'kube-scheduler': { cn: 'system:kube-scheduler' },
  'kube-proxy': { cn: 'system:kube-proxy' },
  kubelet: { cn: 'system:node:node1', organizations: ['system:nodes'] },
} as const;

export type ClusterUser = keyof typeof users;

export function kubeconfigPath(folder: string, user: ClusterUser): string {
  return join(folder, `${user}.kubeconfig`);
}

/**
 * Writes pki/ and one kubeconfig per user into the folder of a cluster whose API server listens on
 * 127.0.0.1:`port`.
 */
export async function writePki(folder: string, port: number): Promise<void> {
  const pki = join(folder, 'pki');
  mkdirSync(pki, { recursive: true });
  const write = (name: string, content: string) => writeFileSync(join(pki, name), content, { mode: 0o600 });
  const ca = await authority({ cn: 'kubernetes-ca', days: 365 });
  write('ca.crt', ca.cert);
  write('ca.key', ca.key);
  const names = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'localhost'];
  const server = await issue(ca, {
    cn: 'kube-apiserver',
    dns: names,
    ips: ['127.0.0.1', network.node, network.kubernetesService],
    days: 365,
  });
  write('apiserver.crt', server.cert);
  write('apiserver.key', server.key);
  const front = await issue(ca, { cn: 'front-proxy-client', days: 365 });
  write('front-proxy.crt', front.cert);
  write('front-proxy.key', front.key);
  const accounts = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  write('service-account.key', accounts.privateKey);
  write('service-account.pub', accounts.publicKey);
  for (const [name, subject] of Object.entries(users)) {
    const client = await issue(ca, { ...subject, days: 365 });
    const base64 = (value: string) => Buffer.from(value).toString('base64');
    const kubeconfig = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'test',
          cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': base64(ca.cert) },
        },
      ],
      users: [
        {
          name,
          user: {
            'client-certificate-data': base64(client.cert),
            'client-key-data': base64(client.key),
          },
        },
      ],
      contexts: [{ name: 'test', context: { cluster: 'test', user: name } }],
      'current-context': 'test',
    };
    writeFileSync(kubeconfigPath(folder, name as ClusterUser), JSON.stringify(kubeconfig, null, 1), {
      mode: 0o600,
    });
  }
}
