import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ChangeReport } from '../../src/change/change-report.ts';
import { validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { type Authority, authority } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { certificateDefinition } from './fix-cases.ts';
import { inTurns } from './printed-roles.ts';
import { type RefusalCase, type RefusalObjects, refusalCases } from './refusal-cases.ts';

/**
 * The parts that must not change: the version of every object, without the fields that the API server updates
 * itself.
 */
const versionOf = ({ kind, metadata, spec }: KubeObject): unknown =>
  // The API server itself writes the status of these.
  kind === 'APIService' || kind === 'CustomResourceDefinition'
    ? [kind, metadata.name, metadata.generation, metadata.annotations, spec]
    : [kind, metadata.name, metadata.generation, metadata.resourceVersion];

describe('refusals of fix, on a real API server', function () {
  this.timeout(120_000);
  needs('api-server');
  let scene: Scene;
  let kubeconfig = '';
  let ca: Authority;
  let otherCa: Authority;
  const namespaceOf = (one: RefusalCase): string => `${scene.namespace}-${refusalCases.indexOf(one)}`;
  const made = new Map<RefusalCase, readonly KubeObject[]>();
  const isClusterWide = ({ kind }: KubeObject): boolean =>
    ['ValidatingWebhookConfiguration', 'APIService', 'CustomResourceDefinition'].includes(kind);

  function soundObjects(namespace: string): RefusalObjects {
    const labels = { app: 'guard' };
    const ports = [{ name: 'https', containerPort: 8443 }];
    const configuration = validatingWebhook(namespace, { service: 'guard', caBundle: ca.cert });
    return {
      namespace,
      ca,
      otherCa,
      configuration,
      service: {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'guard' },
        spec: { selector: labels, ports: [{ port: 443, targetPort: 'https' }] },
      },
      deployment: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'guard' },
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { containers: [{ name: 'webhook', image: 'guard', ports }] },
          },
        },
      },
    };
  }

  async function stage(one: RefusalCase): Promise<void> {
    const namespace = namespaceOf(one);
    const objects = soundObjects(namespace);
    const more = (await one.state(objects)) ?? [];
    const { service, deployment, configuration } = objects;
    if (service.metadata.name !== 'guard') {
      configuration.webhooks[0].clientConfig.service.name = service.metadata.name;
    }
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } };
    await scene.create(account);
    const all: KubeObject[] = [];
    for (const object of [service, deployment, ...more, configuration]) {
      const { status, ...rest } = object;
      const placed: KubeObject = isClusterWide(object)
        ? rest
        : { ...rest, metadata: { namespace, ...rest.metadata } };
      await scene.create(placed);
      if (status !== undefined) await scene.client.patch(placed, { status }, 'status');
      all.push(placed);
    }
    made.set(one, all);
  }

  const versions = async (one: RefusalCase): Promise<unknown> =>
    (await Promise.all((made.get(one) ?? []).map((object) => scene.client.get(object)))).map(
      (object) => object && versionOf(object),
    );

  async function refused(one: RefusalCase): Promise<void> {
    const { remedy, check, callout, flags = [], because } = one;
    const state = mkdtempSync(join(tmpdir(), 'kubectl-webhook-refusal-'));
    const about = callout?.(namespaceOf(one)) ?? `validating/guard-${namespaceOf(one)}/guard.example.com`;
    const before = await versions(one);
    const { code, stdout, stderr } = await plugin(
      [
        'fix',
        `${check}:${about}`,
        '--remedy',
        remedy,
        '--yes',
        '-o',
        'json',
        '--probe',
        'none',
        '--kubeconfig',
        kubeconfig,
        ...flags,
      ],
      { XDG_STATE_HOME: state },
    );
    expect(code, stderr + stdout).to.equal(1);
    const { changes } = JSON.parse(stdout) as ChangeReport;
    expect(changes).to.have.lengthOf(1);
    expect(changes[0]).to.include({ remedy, state: 'refused' }).and.not.have.property('undo');
    expect(changes[0]?.why).to.match(because);
    expect(await versions(one)).to.deep.equal(before);
    expect(existsSync(join(state, 'kubectl-webhook'))).to.equal(false);
  }

  const ended = new Map<RefusalCase, Error | undefined>();

  before(async () => {
    const cluster = await apiServer();
    kubeconfig = cluster.kubeconfig;
    [ca, otherCa] = await Promise.all([authority({ cn: 'webhook-ca' }), authority({ cn: 'other-ca' })]);
    scene = await openScene(cluster.client);
    await scene.create(certificateDefinition);
    await waitFor('Certificates to be served', () =>
      scene.client.list('cert-manager.io/v1', 'Certificate').then(
        () => true,
        () => false,
      ),
    );
    await Promise.all(refusalCases.map(stage));
    await inTurns(refusalCases, async (one) => {
      ended.set(
        one,
        await refused(one).then(
          () => undefined,
          (error: Error) => error,
        ),
      );
    });
  });
  after(() => scene?.leave());

  for (const one of refusalCases) {
    it(`${one.remedy} refuses ${one.name}`, () => {
      const error = ended.get(one);
      if (error !== undefined) throw error;
    });
  }
});
