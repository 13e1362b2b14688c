import { expect } from 'chai';
import type { Pod } from '../../../src/facts/objects/pod.ts';
import { servingSources } from '../../../src/facts/objects/serving-source.ts';

interface Mount {
  readonly volume: string;
  readonly secret: string;
  readonly path: string;
}

const podWith = (mounts: readonly Mount[], args: readonly string[] = []): Pick<Pod, 'spec'> => ({
  spec: {
    containers: [
      {
        name: 'manager',
        args,
        ports: [{ containerPort: 9443 }],
        volumeMounts: mounts.map(({ volume, path }) => ({ name: volume, mountPath: path })),
      },
    ],
    volumes: mounts.map(({ volume, secret }) => ({ name: volume, secret: { secretName: secret } })),
  },
});
const webhook = {
  volume: 'cert',
  secret: 'webhook-server-cert',
  path: '/tmp/k8s-webhook-server/serving-certs',
};
const metrics = {
  volume: 'metrics-certs',
  secret: 'metrics-server-cert',
  path: '/tmp/k8s-metrics-server/metrics-certs',
};
const names = (pod: Pick<Pod, 'spec'>) => servingSources(pod, 9443).map(({ name }) => name);

describe('the Secret of a serving certificate', () => {
  it('is not that of the metrics endpoint, which kubebuilder names in an argument', () => {
    const told = `--metrics-cert-path=${metrics.path}`;
    expect(names(podWith([webhook, metrics], [told]))).to.deep.equal(['webhook-server-cert']);
    expect(names(podWith([metrics, webhook], [told, `--webhook-cert-path=${webhook.path}`]))).to.deep.equal([
      'webhook-server-cert',
    ]);
  });

  it('is the one that is not for metrics, if only names decide', () => {
    const elsewhere = { ...webhook, path: '/certs' };
    expect(names(podWith([metrics, elsewhere]))).to.deep.equal(['webhook-server-cert']);
  });

  it('may be named after metrics if there is no other: an adapter serves an API of metrics', () => {
    const only = { volume: 'serving-cert', secret: 'custom-metrics-tls', path: '/var/run/serving-cert' };
    expect(names(podWith([only]))).to.deep.equal(['custom-metrics-tls']);
    expect(names(podWith([only], ['--tls-cert-file=/var/run/serving-cert/tls.crt']))).to.deep.equal([
      'custom-metrics-tls',
    ]);
  });
});
