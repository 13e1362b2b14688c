import { expect } from 'chai';
import { validatingWebhook } from '../cluster/backend-pods.ts';
import { apiServer, needs, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority } from '../support/certificates.ts';
import { startPlugin } from '../support/plugin.ts';

describe('doctor --watch and list --watch', function () {
  this.timeout(170_000);
  needs('api-server');
  const scene = useScene(() => apiServer());

  const backend = (namespace: string) => [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'guard', namespace },
      spec: { ports: [{ port: 443, targetPort: 8443 }] },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'guard-1', namespace, labels: { 'kubernetes.io/service-name': 'guard' } },
      addressType: 'IPv4',
      ports: [{ name: '', port: 8443, protocol: 'TCP' }],
      endpoints: [{ addresses: ['198.51.100.7'], conditions: { ready: true } }],
    },
  ];
  /** A watch is one request; it is logged when it ends. */
  const requestsIn = (stderr: string): number =>
    stderr.split('\n').filter((line) => /^GET (?!\S*[?&]watch=true)/.test(line)).length;

  it('prints changes until all is well, and requests only these', async () => {
    const { namespace, kubeconfig } = scene;
    const { cert } = await authority({ cn: 'guard-ca' });
    const configuration = validatingWebhook(namespace, { service: 'guard', caBundle: cert });
    await scene.create(configuration);
    const flags = ['-n', namespace, '--kubeconfig', kubeconfig, '-v', '6'];
    const full = await startPlugin(['doctor', '--probe', 'none', ...flags]).ended;
    const watching = startPlugin(['doctor', '--probe', 'none', '-w', '--until', 'healthy', ...flags]);
    const listing = startPlugin(['list', '-w', ...flags]);
    // Three intervals in which nothing happens.
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    for (const object of backend(namespace)) await scene.create(object);
    const { code, stdout, stderr } = await watching.ended;
    expect(code, stderr).to.equal(0);
    const [first, failing, ...changes] = stdout.trimEnd().split('\n');
    expect(first).to.match(/^\S+Z 1 webhook, 0 healthy$/);
    expect(failing).to.contain('failing (service-missing)');
    expect(changes.at(-1)).to.match(/ -> healthy$/);
    const once = requestsIn(full.stderr);
    // Requests of the later runs: three reads without a watch for each.
    expect(requestsIn(stderr) - once, stderr).to.be.lessThan(once);
    const lastRow = () => listing.written().stdout.trimEnd().split('\n').at(-1) ?? '';
    await waitFor('the healthy row', () => lastRow().endsWith('not probed') || undefined);
    await scene.client.delete(configuration);
    await waitFor('the row of what is deleted', () => lastRow().endsWith('deleted') || undefined);
    listing.kill('SIGINT');
    const listed = await listing.ended;
    expect(listed.code).to.equal(130);
    const states = listed.stdout.split('\n').filter((line) => line.includes('guard'));
    expect(states[0]).to.contain('failing (service-missing)');
    expect(states.at(-2)).to.contain('not probed');
    // Each row is aligned with the header.
    const place = listed.stdout.indexOf('STATUS');
    for (const [row, status] of [
      [states[0], 'failing'],
      [states.at(-2), 'not probed'],
      [states.at(-1), 'deleted'],
    ] as const)
      expect(row?.indexOf(status)).to.equal(place);
  });

  it('an idle cluster causes no requests except the watches', async () => {
    const { namespace, kubeconfig } = scene;
    const { cert } = await authority({ cn: 'guard-ca' });
    await scene.create(validatingWebhook(namespace, { service: 'gone', caBundle: cert }));
    const flags = ['-n', namespace, '--kubeconfig', kubeconfig, '-v', '6'];
    const once = requestsIn((await startPlugin(['doctor', '--probe', 'none', ...flags]).ended).stderr);
    const watching = startPlugin(['doctor', '--probe', 'none', '-w', ...flags]);
    const intervals = 6;
    await new Promise((resolve) => setTimeout(resolve, intervals * 5_000));
    watching.kill('SIGINT');
    const { code, stderr } = await watching.ended;
    expect(code).to.equal(130);
    const beyond = requestsIn(stderr) - once;
    expect(beyond / intervals, stderr).to.be.at.most(once / 10);
  });
});
