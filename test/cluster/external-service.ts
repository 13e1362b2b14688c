import type { Scene } from './scene.ts';

/** Creates a Service with port 443 whose only endpoint is this server, which is not a Pod. */
export async function createExternalService(
  scene: Scene,
  name: string,
  server: { readonly address: string; readonly port: number },
): Promise<void> {
  const { address, port } = server;
  await scene.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { ports: [{ port: 443, targetPort: port }] },
  });
  await scene.create({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: '', port }],
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
  });
}
