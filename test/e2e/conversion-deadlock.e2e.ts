import { expect } from 'chai';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { backendObjects } from '../cluster/backend-pods.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';

/** An operator that lists its resource in the older version before it serves, and exits if that fails. */
const operator = `
const { readFileSync } = require('node:fs');
const folder = '/var/run/secrets/kubernetes.io/serviceaccount/';
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
const path = '/apis/' + process.argv[1] + '/v1beta1/widgets';
const headers = { authorization: 'Bearer ' + readFileSync(folder + 'token', 'utf8') };
require('node:https').get({ host, port, path, headers, ca: readFileSync(folder + 'ca.crt') }, (answer) => {
  let body = '';
  answer.on('data', (chunk) => (body += chunk)).on('end', () => {
    console.log('starting');
    console.log('failed to list *v1beta1.Widget: ' + JSON.parse(body).message);
    process.exitCode = 1;
  });
});`;

describe('an operator that reads its own resource before it converts it', function () {
  this.timeout(240_000);
  needs('node');
  const scene = useScene(nodeCluster);

  it('crashes permanently, and this is reported', async () => {
    const { namespace, client } = scene;
    const group = `${namespace}.example.com`;
    const ca = await authority({ cn: 'webhook-ca' });
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const definition = await scene.create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `widgets.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
        versions: [
          { name: 'v1', served: true, storage: true, schema },
          { name: 'v1beta1', served: true, storage: false, schema },
        ],
      },
    });
    const widget = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'one', namespace } };
    await waitFor('Widgets to be served', () =>
      client.create(widget).then(
        () => true,
        () => false,
      ),
    );
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: `widgets-${namespace}` },
    };
    await scene.create({ ...role, rules: [{ apiGroups: [group], resources: ['widgets'], verbs: ['list'] }] });
    await scene.create({
      ...role,
      kind: 'ClusterRoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role.metadata.name },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
    });
    const service = { namespace, name: 'guard', path: '/convert' };
    await client.patch(definition, {
      spec: {
        conversion: {
          strategy: 'Webhook',
          webhook: {
            conversionReviewVersions: ['v1'],
            clientConfig: { service, caBundle: Buffer.from(ca.cert).toString('base64') },
          },
        },
      },
    });
    const container = { command: ['/usr/bin/node', '-e', operator, group], args: [] };
    for (const object of await backendObjects(namespace, { name: 'guard', ca, replicas: 1, container }))
      await scene.create(object);
    await waitFor(
      'the second crash',
      async () => {
        const [pod] = await client.list('v1', 'Pod', namespace, 'app=guard');
        return (pod?.status.containerStatuses?.[0]?.restartCount ?? 0) >= 2;
      },
      { timeout: 120_000 },
    );
    const command = ['doctor', `crd/widgets.${group}`, '-o', 'json', '--kubeconfig', scene.kubeconfig];
    const { stdout, stderr } = await plugin(command);
    expect(stdout, stderr).to.match(/^\{/);
    const { callouts, findings } = JSON.parse(stdout) as DoctorReport;
    const said = JSON.stringify([
      ...findings.map(({ check, causedBy, message }) => ({ check, causedBy, message })),
      ...(callouts[0]?.replicas ?? []),
    ]);
    expect(callouts[0]?.verdict.state, said).to.equal('failing');
    expect(callouts[0]?.verdict.because[0], said).to.equal('conversion-deadlock');
    const found = findings.find(({ check }) => check === 'conversion-deadlock');
    expect(found?.message).to.match(
      /cannot convert widgets\..*conversion webhook for .*\/v1, Kind=Widget failed/,
    );
    expect(findings.find(({ check }) => check === 'replica-crash-looping')?.causedBy).to.equal(
      'conversion-deadlock',
    );

    const from = [`widgets.${group}/one`, '-n', namespace, '-o', 'json', '--kubeconfig', scene.kubeconfig];
    const stuck = await plugin(['doctor', '--from', ...from]);
    expect(stuck.stdout, stuck.stderr).to.match(/^\{/);
    const { from: object } = JSON.parse(stuck.stdout) as DoctorReport;
    expect(object?.victim).to.equal(`Widget ${namespace}/one`);
    expect(object?.inTheWay).to.include(`crd/widgets.${group}`);
  });
});
