import type { ApiObject } from '../../src/demo/api-server/object-store.ts';
import { servingCertificate } from '../../src/demo/certificate/demo-certificates.ts';
import { isWorkloadPart } from '../../src/demo/cluster/workload-manifests.ts';
import type { KubeObject } from '../cluster/client.ts';
import { backendImage } from '../cluster/image.ts';
import { type ContractPod, contractPods, home, ways } from '../contract-cluster/pods.ts';

/** A Pod of the suite with the backend program, and the certificate that it has in the demo. */
function realPod(name: string, { process, args }: ContractPod): readonly KubeObject[] {
  const { certificate = 'trusted' } = process;
  const kind = certificate === 'none' ? 'trusted' : certificate;
  const pair = servingCertificate(kind, [`${name}.${home}.svc`], new Date());
  const container = {
    ...{ name: 'webhook', image: backendImage, imagePullPolicy: 'Never', args },
    ports: [{ containerPort: 8443 }],
    volumeMounts: [{ name: 'certs', mountPath: '/certs' }],
    // A Pod is Ready when its process listens; the kubelet cannot connect to localhost in the Pod.
    ...(process.listens === 'on-loopback'
      ? {}
      : { readinessProbe: { tcpSocket: { port: 8443 }, periodSeconds: 1 } }),
  };
  return [
    {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: home, name } },
      stringData: { 'tls.crt': pair.certificate, 'tls.key': pair.key },
    },
    {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: home, name, labels: { app: name } } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [container],
        volumes: [{ name: 'certs', secret: { secretName: name } }],
      },
    },
  ];
}

/** Manifests that create the suite's Pods on a real cluster, the namespace first. */
export const objectsOfWays: readonly KubeObject[] = ways.flatMap((part) => {
  const object: ApiObject = isWorkloadPart(part) ? part.manifest : part;
  const pod = isWorkloadPart(part) ? contractPods[object.metadata.name] : undefined;
  return pod === undefined ? [object as unknown as KubeObject] : realPod(object.metadata.name, pod);
});
