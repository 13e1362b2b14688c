import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ChangeReport } from '../../src/change/change-report.ts';
import { bootstrapDeadlock } from '../../src/checks/scope/bootstrap-deadlock.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import {
  backendObjects,
  deployBackend,
  scale,
  tryConfigMap,
  validatingWebhook,
} from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { type Authority, authority } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { hasTmux, inTerminal } from '../support/tmux.ts';

const program = new URL('../../bin/kubectl-webhook', import.meta.url).pathname;

/** A policy webhook that matches everything in every namespace, with failurePolicy Fail. */
const everything = {
  rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }],
  namespaceSelector: {},
  timeoutSeconds: 2,
};

const refused = /failed calling webhook "guard\.example\.com"/;

const answer = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'allowed',
    (error: Error) => error.message,
  );

describe('a cluster in which no Pod can start', function () {
  this.timeout(300_000);
  needs('node', 'own-node');
  const scene = useScene(nodeCluster);

  const deployment = () => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'guard', namespace: scene.namespace },
  });
  const restart = () =>
    answer(
      scene.client.patch(deployment(), {
        spec: { template: { metadata: { annotations: { tried: 'again' } } } },
      }),
    );

  /** Further refused requests on which a diagnosis or a fix could depend. */
  const attempts: Readonly<Record<string, () => Promise<string>>> = {
    'a rollout restart': restart,
    'a scale': () => answer(scale(scene, 'guard', 1)),
    'an event': () =>
      answer(
        scene.create({
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'drill' },
          reason: 'Drill',
          involvedObject: { kind: 'Deployment', name: 'guard', namespace: scene.namespace },
        } as KubeObject),
      ),
    'an EndpointSlice': () =>
      answer(
        scene.create({
          apiVersion: 'discovery.k8s.io/v1',
          kind: 'EndpointSlice',
          metadata: { name: 'drill' },
          addressType: 'IPv4',
          endpoints: [],
        } as KubeObject),
      ),
    'an access review': () =>
      answer(
        scene.client.create({
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          metadata: { name: '' },
          spec: { nonResourceAttributes: { path: '/', verb: 'get' } },
        }),
      ),
  };

  const register = (ca: Authority, webhook: object): Promise<KubeObject> =>
    scene.create(validatingWebhook(scene.namespace, { service: 'guard', caBundle: ca.cert, webhook }));

  it('recovers with one fix, which one undo restores', async function () {
    if (!hasTmux()) this.skip();
    const ca = await authority({ cn: 'webhook-ca' });
    // None of its Pods is left, or ever was: first it stands before those alone, then before everything.
    const pods = [{ ...everything.rules[0], apiGroups: [''], resources: ['pods'] }];
    const configuration = await register(ca, { rules: pods });
    for (const object of await backendObjects(scene.namespace, { name: 'guard', ca }))
      await scene.create(object);
    const cannotCreate = (
      status: { conditions?: { type: string; message: string }[] } | undefined,
    ): boolean =>
      status?.conditions?.some(
        ({ type, message }) => type === 'ReplicaFailure' && /failed calling webhook/.test(message),
      ) === true;
    await waitFor(
      'its Pods to be refused',
      async () => cannotCreate((await scene.client.get(deployment()))?.status),
      { timeout: 60_000 },
    );
    await scene.client.request(
      'PATCH',
      `/apis/${configuration.apiVersion}/validatingwebhookconfigurations/${configuration.metadata.name}`,
      [
        { op: 'replace', path: '/webhooks/0/rules', value: everything.rules },
        { op: 'replace', path: '/webhooks/0/namespaceSelector', value: everything.namespaceSelector },
      ],
      'application/json-patch+json',
    );
    await waitFor('everything to be refused', async () => refused.test(await tryConfigMap(scene)), {
      timeout: 60_000,
    });
    const whole = (await scene.client.get(configuration))?.webhooks;
    const template = (await scene.client.get(deployment()))?.spec.template;
    for (const [what, attempt] of Object.entries(attempts)) expect(await attempt(), what).to.match(refused);

    const home = mkdtempSync(join(tmpdir(), 'kubectl-webhook-terminal-'));
    const started = performance.now();
    const terminal = await inTerminal([program, 'fix', '--kubeconfig', scene.kubeconfig], {
      HOME: home,
      PATH: process.env.PATH ?? '',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
    });
    try {
      const choice = await terminal.shows(/Which (problem|remedy) do you want/);
      if (/Which problem do you want/.test(choice)) {
        expect(choice).to.contain(bootstrapDeadlock.meta.title.slice(0, 30));
        await terminal.press('Enter');
        await terminal.shows(/Which remedy do you want/);
      }
      await terminal.press('Enter');
      const shown = await terminal.shows(/Apply\?/);
      expect(shown).to.match(/^\+.*(NotIn|kubernetes\.io\/metadata\.name)/m);
      expect(shown).to.match(/^\+.*kubectl\.kubernetes\.io\/restartedAt/m);
      await terminal.press('y', 'Enter');
      expect(await terminal.ended(120_000), await terminal.screen()).to.equal(0);
      const end = await terminal.screen();
      expect(end.match(/Undo +kubectl webhook undo/g)).to.have.lengthOf(1);
      expect(end).to.match(/doctor: the next call to .* will succeed/);
      console.log(`      ${((performance.now() - started) / 1000).toFixed(1)} s from the command to the end`);
    } finally {
      await terminal.close();
    }
    // Until then its controller updates the Deployment repeatedly, and undo does not overwrite other changes.
    await waitFor('the rollout to be over', async () => {
      const live = await scene.client.get(deployment());
      if (live === undefined) return false;
      const { metadata, status } = live;
      return (
        status.observedGeneration === metadata.generation &&
        [status.replicas, status.updatedReplicas, status.availableReplicas].every((count) => count === 2) &&
        !status.terminatingReplicas
      );
    });

    const undone = await plugin(['undo', '--yes', '-o', 'json', '--kubeconfig', scene.kubeconfig], {
      HOME: home,
    });
    expect(undone.code, undone.stdout + undone.stderr).to.equal(0);
    const [change] = (JSON.parse(undone.stdout) as ChangeReport).changes;
    expect(change?.state, change?.why).to.equal('undone');
    const now = await scene.client.get(configuration);
    expect(now?.webhooks).to.deep.equal(whole);
    expect(now?.metadata.annotations).to.equal(undefined);
    expect((await scene.client.get(deployment()))?.spec.template).to.deep.equal(template);
    const left = await plugin(['undo', '--yes', '-o', 'json', '--kubeconfig', scene.kubeconfig], {
      HOME: home,
    });
    expect((JSON.parse(left.stdout) as ChangeReport).changes).to.deep.equal([]);
  });

  it('is explained although the webhook also blocks access to the Pods', async () => {
    const [ca, otherCa] = await Promise.all([authority({ cn: 'webhook-ca' }), authority({ cn: 'other-ca' })]);
    await deployBackend(scene, { name: 'guard', ca, replicas: 2 });
    await register(otherCa, everything);
    await waitFor('everything to be refused', async () => /x509/.test(await tryConfigMap(scene)), {
      timeout: 60_000,
    });
    // Admission's response to port-forward and proxy must not be mistaken for that of the backend.
    const args = ['doctor', `guard-${scene.namespace}`, '--kubeconfig', scene.kubeconfig, '-o', 'json'];
    const started = performance.now();
    const { stdout, stderr } = await plugin(args);
    console.log(`      ${((performance.now() - started) / 1000).toFixed(1)} s for the diagnosis`);
    expect(stdout, stderr).to.match(/^\{/);
    const { callouts, findings } = JSON.parse(stdout) as DoctorReport;
    const [callout] = callouts;
    expect(callout?.verdict).to.deep.include({ state: 'failing', link: 'tls', because: ['stale-ca-bundle'] });
    expect(callout?.verdict.error).to.match(/x509: certificate signed by unknown authority/);
    expect(findings.map(({ check }) => check)).to.not.include('unreachable-from-control-plane');
  });
});
