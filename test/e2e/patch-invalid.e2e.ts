import type { Server } from 'node:https';
import { expect } from 'chai';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import type { KubeObject } from '../cluster/client.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { plugin } from '../support/plugin.ts';
import { answeringWebhook } from './answering-webhook.ts';

interface Spoiled {
  readonly resource: string;
  readonly group?: string;
  readonly patch: readonly object[];
  /** Expected in the API server's error: the fields and some words. */
  readonly fields: string;
  readonly words: string;
  /** Every request fails with this error. */
  readonly always?: string;
}

const cases: Readonly<Record<string, Spoiled>> = {
  'a label that is none': {
    resource: 'configmaps',
    patch: [{ op: 'add', path: '/metadata/labels', value: { team: '-no-' } }],
    fields: 'metadata.labels',
    words: 'metadata.labels: Invalid value: "-no-"',
  },
  'a container without an image': {
    resource: 'pods',
    patch: [{ op: 'add', path: '/spec/containers/-', value: { name: 'proxy' } }],
    fields: 'spec.containers[1].image',
    words: 'spec.containers[1].image: Required value',
  },
  'fewer replicas than none': {
    resource: 'deployments',
    group: 'apps',
    patch: [{ op: 'replace', path: '/spec/replicas', value: -1 }],
    fields: 'spec.replicas',
    words: 'spec.replicas: Invalid value: -1',
  },
  'nothing of every object': {
    resource: 'configmaps',
    patch: [{ op: 'replace', path: '', value: {} }],
    fields: 'metadata.name',
    words: 'metadata.name: Required value',
    always: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  },
};

describe('doctor on a real API server: patches that make objects invalid', function () {
  needs('node', 'own-node');
  this.timeout(240_000);
  const scene = useScene(nodeCluster);
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  for (const [name, { resource, group = '', patch, fields, words, always }] of Object.entries(cases)) {
    it(`names the webhook that makes ${name}`, async () => {
      const webhook = await answeringWebhook(() => ({ patch }));
      server = webhook.server;
      const configuration: KubeObject = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingWebhookConfiguration',
        metadata: { name: `spoils-${scene.namespace}` },
        webhooks: [
          {
            name: 'spoils.example.com',
            clientConfig: { url: webhook.url, caBundle: Buffer.from(webhook.ca).toString('base64') },
            rules: [
              { apiGroups: [group], apiVersions: ['v1'], operations: ['CREATE'], resources: [resource] },
            ],
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': scene.namespace } },
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            failurePolicy: 'Ignore',
            timeoutSeconds: 5,
          },
        ],
      };
      await scene.create(configuration);
      const asked = ['doctor', `spoils-${scene.namespace}`, '--kubeconfig', scene.kubeconfig];
      // Until the API server has loaded the configuration, its dry run shows nothing.
      const report = await waitFor(
        'doctor to name the patch',
        async () => {
          const { stdout } = await plugin([...asked, '--probe', 'review', '-o', 'json']);
          const said = JSON.parse(stdout) as DoctorReport;
          return said.findings.some(({ check }) => check === 'response-patch-invalid') && said;
        },
        { timeout: 120_000 },
      );
      const finding = report.findings.find(({ check }) => check === 'response-patch-invalid');
      expect(finding?.severity).to.equal('error');
      expect(finding?.message).to.include(
        always === undefined
          ? `makes a test object (${group === '' ? resource : `${resource}.${group}`}) invalid in ${fields}`
          : 'replaces every object with another one',
      );
      expect(finding?.evidence.map(({ value }) => value).join('\n')).to.include(words);
      expect(report.callouts[0]?.verdict).to.include({
        state: always === undefined ? 'degraded' : 'failing',
        link: 'response',
      });
      expect(report.callouts[0]?.verdict.error).to.include(words);
      if (always === undefined) return;
      expect(report.callouts[0]?.verdict.error).to.equal(always);
      const refused = await scene
        .create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'any' } }, { dryRun: true })
        .then(String, (error: Error) => error.message);
      expect(refused).to.equal(always);
    });
  }
});
