import { certificateWriterNotRunning } from '../../../src/checks/tls/certificate-writer-not-running.ts';
import type { Workload } from '../../../src/facts/objects/workload.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { workload } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { empty, inShop, withBundle } from './writers.ts';

/** A Deployment beside the webhook's own. */
const beside = (
  name: string,
  replicas: number,
  { args = [], status = {} }: { args?: readonly string[]; status?: Workload['status'] } = {},
): Workload =>
  workload({
    metadata: { name },
    spec: {
      replicas,
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, args }] } },
    },
    status,
  });
const written = (manager: string) => ({
  metadata: {
    name: 'policy',
    managedFields: [
      {
        manager,
        operation: 'Update',
        fieldsV1: {
          'f:webhooks': { 'k:{"name":"policy.example.com"}': { 'f:clientConfig': { 'f:caBundle': {} } } },
        },
      },
    ],
  },
});
const given = (...workloads: readonly Workload[]) =>
  withBundle(empty, {}, { workloads: inShop(workload({ status: { availableReplicas: 1 } }), ...workloads) });

describeCheck(certificateWriterNotRunning, {
  reports: [
    {
      name: 'a certificate generator that is scaled to 0',
      facts: given(beside('policy-operator-gencert', 0)),
      expect: {
        messageId: 'scaledToZero',
        data: { writer: 'Deployment shop/policy-operator-gencert' },
      },
    },
    {
      name: 'an operator whose arguments name the configuration, and that has no Pod',
      facts: given(
        beside('operator', 1, {
          args: ['--webhook-config-name=policy'],
          status: {
            conditions: [
              { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' },
            ],
          },
        }),
      ),
      expect: {
        messageId: 'unavailable',
        data: { writer: 'Deployment shop/operator', said: 'FailedCreate: exceeded quota' },
      },
    },
    {
      name: 'the last writer of the field, which nobody runs any more',
      facts: withBundle(empty, written('keeper'), { workloads: inShop(beside('keeper', 0)) }),
      expect: { messageId: 'scaledToZero', data: { writer: 'Deployment shop/keeper' } },
    },
  ],
  staysSilent: [
    {
      name: 'it runs',
      facts: given(beside('policy-operator-gencert', 1, { status: { availableReplicas: 1 } })),
      outcome: 'pass',
    },
    { name: 'what is stopped makes no certificates', facts: given(beside('frontend', 0)), outcome: 'pass' },
    {
      name: 'an injector is asked',
      facts: withBundle(
        empty,
        {
          metadata: { name: 'policy', annotations: { 'service.beta.openshift.io/inject-cabundle': 'true' } },
        },
        { workloads: inShop(beside('policy-operator-gencert', 0)) },
      ),
      outcome: 'pass',
    },
  ],
  cannotTell: [{ name: 'Jobs could not be listed', facts: withBundle(empty, {}, { jobs: forbidden() }) }],
});
