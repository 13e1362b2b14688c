import { expect } from 'chai';
import { catalogue as checks } from '../../../src/checks/catalogue.ts';
import { buildReport } from '../../../src/diagnose/build-report.ts';
import { commonField } from '../../../src/diagnose/outage/last-changes.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { ManagedFields, Metadata } from '../../../src/facts/objects/metadata.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { empty } from '../../checks/backend/empty-backend.ts';
import {
  healthy,
  lists,
  objects,
  pod,
  port,
  service,
  snapshotOf,
  webhook,
  workload,
} from '../../support/snapshot.ts';

const creationTimestamp = '2025-12-01T00:00:00Z';
const write = (manager: string, time: string, fieldsV1: object, over: Partial<ManagedFields> = {}) =>
  ({ manager, operation: 'Update', time, fieldsV1, ...over }) as ManagedFields;
const targetPort = {
  'f:spec': { 'f:ports': { 'k:{"port":443,"protocol":"TCP"}': { '.': {}, 'f:targetPort': {} } } },
};
const template = { 'f:spec': { 'f:template': { 'f:spec': { 'f:containers': {} } } } };

/** A webhook on port 443 of a Service that has port 80 only. */
const withoutPort = (metadata: Partial<Metadata>, facts: Partial<Facts> = {}): Partial<Facts> => {
  const { metadata: before, ...rest } = service({ ports: [port({ port: 80 })] });
  return healthy({
    services: objects({ metadata: { ...before, creationTimestamp, ...metadata }, ...rest }),
    ...facts,
  });
};
/** What the cause of the first webhook's failure has as evidence of changes. */
const changesIn = (facts: Partial<Facts>): readonly string[] => {
  const { findings, callouts } = buildReport(snapshotOf(facts), facts.callouts ?? [], checks);
  const cause = findings.find(({ id }) => id === callouts[0]?.cause);
  expect(cause).to.not.equal(undefined);
  return (cause?.evidence ?? []).flatMap(({ object, field, value }) =>
    /^changed /.test(value) ? `${object.kind} ${field}: ${value}` : [],
  );
};

describe('what changed before a failure', () => {
  it('names the object, the field, the manager and the time', () => {
    const managedFields = [write('kubectl-edit', '2025-12-31T23:48:00Z', targetPort)];
    expect(changesIn(withoutPort({ managedFields }))).to.deep.equal([
      'Service spec.ports.targetPort: changed 12 minutes ago by kubectl-edit',
    ]);
  });

  it('is limited to two changes, the last first', () => {
    const managedFields = ['20', '22', '21'].map((hour) =>
      write(`m${hour}`, `2025-12-31T${hour}:00:00Z`, targetPort),
    );
    expect(changesIn(withoutPort({ managedFields }))).to.deep.equal([
      'Service spec.ports.targetPort: changed 2 hours ago by m22',
      'Service spec.ports.targetPort: changed 3 hours ago by m21',
    ]);
  });

  it('leaves out the installation, status, autoscalers, annotations and older changes', () => {
    const time = '2025-12-31T23:48:00Z';
    const managedFields = [
      write('helm', creationTimestamp, targetPort),
      write('helm', '2025-12-01T00:00:20Z', targetPort),
      write('cloud-controller-manager', time, { 'f:status': {} }, { subresource: 'status' }),
      write('kube-controller-manager', time, { 'f:spec': { 'f:replicas': {} } }, { subresource: 'scale' }),
      write('argocd-controller', time, { 'f:metadata': { 'f:annotations': {} } }),
      write('kubectl-edit', '2025-12-30T23:00:00Z', targetPort),
    ];
    expect(changesIn(withoutPort({ managedFields }))).to.deep.equal([]);
  });

  it('names changes of the configuration only if the configuration can be the cause', () => {
    const metadata = {
      name: 'policy',
      creationTimestamp,
      managedFields: [
        write('terraform', '2025-12-31T23:48:00Z', {
          'f:webhooks': {
            'k:{"name":"policy.example.com"}': { 'f:clientConfig': { 'f:service': { 'f:port': {} } } },
          },
        }),
      ],
    };
    const callouts = [webhook({ metadata })];
    expect(changesIn(withoutPort({}, { callouts }))).to.deep.equal([
      'ValidatingWebhookConfiguration webhooks.clientConfig.service.port: changed 12 minutes ago by terraform',
    ]);
    expect(changesIn(empty({ callouts, workloads: lists({ shop: [] }) }))).to.deep.equal([]);
  });

  it('leaves out other webhooks of the configuration, and a caBundle that cannot be the cause', () => {
    const client = (field: string) => ({ 'f:clientConfig': { [field]: {} } });
    const time = '2025-12-31T23:48:00Z';
    const metadata = {
      name: 'policy',
      creationTimestamp,
      managedFields: [
        write('kyverno', time, { 'f:webhooks': { 'k:{"name":"other.example.com"}': { 'f:rules': {} } } }),
        write('cainjector', time, {
          'f:webhooks': { 'k:{"name":"policy.example.com"}': client('f:caBundle') },
        }),
      ],
    };
    expect(changesIn(withoutPort({}, { callouts: [webhook({ metadata })] }))).to.deep.equal([]);
  });

  it('leaves out changes after the failure began: they are repairs', () => {
    const since = '2025-12-31T20:00:00Z';
    const scaled = (time: string) =>
      workload({
        metadata: {
          creationTimestamp,
          managedFields: [
            write('keda', since, { 'f:spec': { 'f:replicas': {} } }),
            write('kubectl-patch', time, template),
          ],
        },
        spec: { replicas: 0 },
        status: { replicas: 0 },
      });
    const at = (time: string) => changesIn(empty({ workloads: lists({ shop: [scaled(time)] }) }));
    expect(at('2025-12-31T23:00:00Z')).to.deep.equal([]);
    // The message has the name of the autoscaler already.
    expect(at('2025-12-31T19:00:00Z')).to.deep.equal([
      'Deployment spec.template.spec.containers: changed 5 hours ago by kubectl-patch',
    ]);
  });

  it('includes ConfigMaps of crashed Pods, and omits the name of a client that has none', () => {
    const waiting = { reason: 'CrashLoopBackOff' };
    const terminated = { exitCode: 3, reason: 'Error' };
    const container = {
      name: 'webhook',
      ready: false,
      restartCount: 7,
      state: { waiting },
      lastState: { terminated },
    };
    const crashing = pod({
      spec: { containers: [{ name: 'webhook', envFrom: [{ configMapRef: { name: 'settings' } }] }] } as never,
      status: { conditions: [{ type: 'Ready', status: 'False' }], containerStatuses: [container] },
    });
    const settings: Metadata = {
      name: 'settings',
      creationTimestamp,
      managedFields: [write('unknown', '2025-12-31T23:48:00Z', { 'f:data': { 'f:mode': {} } })],
    };
    const facts = healthy({
      pods: lists({ 'shop/policy': [crashing] }),
      podReferences: complete([['ConfigMap shop/settings', settings]]),
    });
    expect(changesIn(facts)).to.deep.equal(['ConfigMap data.mode: changed 12 minutes ago']);
  });

  it('finds the path that all fields have in common', () => {
    const path = (fieldsV1: object) => commonField(fieldsV1 as ManagedFields['fieldsV1']);
    expect(path({ 'f:spec': { 'f:ports': {}, 'f:selector': {} }, 'f:metadata': {} })).to.equal('spec');
    expect(path({ 'f:data': {}, 'f:type': {} })).to.equal('');
    expect(
      path({ 'f:spec': { 'f:template': { 'f:metadata': { 'f:annotations': { 'f:a.example/b': {} } } } } }),
    ).to.equal('spec.template.metadata.annotations');
    expect(path({ 'f:metadata': { 'f:labels': {} } })).to.equal(undefined);
  });
});
