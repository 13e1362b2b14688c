import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { validatingWebhook } from '../cluster/backend-pods.ts';
import { apiServer, needs, useScene } from '../cluster/suite.ts';
import { authority } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';

describe('doctor on a real API server: what changed before a failure', function () {
  this.timeout(120_000);
  needs('api-server');
  const scene = useScene(() => apiServer());

  it('names the object, the field and the time, and not what the installation wrote', async () => {
    const { namespace, client } = scene;
    const { cert } = await authority({ cn: 'policy-ca' });
    const service = await scene.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'guard' },
      spec: { selector: { app: 'guard' }, ports: [{ port: 443, targetPort: 8443 }] },
    });
    const configuration = await scene.create(
      validatingWebhook(namespace, { service: 'guard', caBundle: cert }),
    );
    const changes = async () => {
      const args = [
        `validating/${configuration.metadata.name}`,
        '-o',
        'json',
        '--kubeconfig',
        scene.kubeconfig,
      ];
      const { stdout, stderr } = await plugin(['doctor', ...args]);
      expect(stdout, stderr).to.match(/^\{/);
      const { callouts, findings } = JSON.parse(stdout) as DoctorReport;
      const cause = findings.find(({ id }) => id === callouts[0]?.cause);
      const evidence = (cause?.evidence ?? []).filter(({ value }) => value.startsWith('changed '));
      return [cause?.check, ...evidence.map(({ object, field }) => `${JSON.stringify(object)} ${field}`)];
    };
    // Managed fields have whole seconds; an installation may write for thirty of them.
    await sleep(32_000);
    expect(await changes()).to.deep.equal(['workload-missing']);
    await client.patch(service, { spec: { ports: [{ port: 8443, targetPort: 8443 }] } });
    // The client that created the Service has the same field manager, and owns all of its specification.
    const [cause, change, ...others] = await changes();
    expect([cause, others]).to.deep.equal(['service-port-missing', []]);
    expect(change)
      .to.include('Service')
      .and.include('guard')
      .and.match(/ spec$/);
  });
});
