import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

const account = '/var/run/secrets/kubernetes.io/serviceaccount';
const leaseSeconds = 5;

interface Lease {
  apiVersion: 'coordination.k8s.io/v1';
  kind: 'Lease';
  metadata: { name: string; namespace: string; resourceVersion?: string };
  spec: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

/**
 * Tries to acquire the Lease every second and reports changes of leadership, like client-go's leaderelection:
 * another holder is respected until its `renewTime` is `leaseDurationSeconds` old. Runs in a Pod, with its
 * service account, until aborted.
 */
export async function electLeader(
  lease: string,
  identity: string,
  onChange: (leader: boolean) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let leading = false;
  while (!signal.aborted) {
    const won = await takeOrRenew(lease, identity).catch((error: Error) => {
      console.error(`lease ${lease}: ${error.message}`);
      return false;
    });
    if (won !== leading) await onChange(won);
    leading = won;
    await sleep(1000, undefined, { signal }).catch(() => {});
  }
}

async function takeOrRenew(lease: string, identity: string): Promise<boolean> {
  const [namespace = '', name = ''] = lease.split('/');
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const found = await call('GET', `${collection}/${name}`);
  const now = new Date().toISOString().replace('Z', '000Z');
  const ours = { holderIdentity: identity, leaseDurationSeconds: leaseSeconds, renewTime: now };
  if (found.status === 404) {
    const created: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace },
      spec: { ...ours, acquireTime: now, leaseTransitions: 0 },
    };
    return (await call('POST', collection, created)).status === 201;
  }
  if (found.status !== 200) throw new Error(`HTTP ${found.status} ${found.body}`);
  const current = JSON.parse(found.body) as Lease;
  const { holderIdentity: holder, renewTime, leaseDurationSeconds = leaseSeconds } = current.spec;
  const held = Date.parse(renewTime ?? '') + leaseDurationSeconds * 1000 > Date.now();
  if (holder && holder !== identity && held) return false;
  const taken =
    holder === identity
      ? {}
      : { acquireTime: now, leaseTransitions: (current.spec.leaseTransitions ?? 0) + 1 };
  const next: Lease = { ...current, spec: { ...current.spec, ...ours, ...taken } };
  // 409: another Pod updated the Lease first.
  return (await call('PUT', `${collection}/${name}`, next)).status === 200;
}

function call(method: string, path: string, body?: object): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        method,
        path,
        host: process.env.KUBERNETES_SERVICE_HOST,
        port: process.env.KUBERNETES_SERVICE_PORT,
        ca: readFileSync(`${account}/ca.crt`),
        timeout: 3000,
        headers: {
          authorization: `Bearer ${readFileSync(`${account}/token`, 'utf8')}`,
          'content-type': 'application/json',
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error('no response in 3 s')));
    outgoing.on('error', reject);
    outgoing.end(body && JSON.stringify(body));
  });
}
