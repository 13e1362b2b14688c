import { replicasDisagree } from '../../../../src/checks/replica/listener/replicas-disagree.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { takenAt } from '../../../support/snapshot.ts';
import { allows, blind, denies, http, lease, leases, quiet, refused, replica, tried } from '../../probed.ts';

const image = (number: number, name: string) =>
  replica(number, { spec: { containers: [{ name: 'webhook', image: name }] } });
const onNode = (number: number, nodeName: string) =>
  replica(number, { spec: { nodeName, containers: [{ name: 'webhook' }] } });
const ofTemplate = (number: number, hash: string, deployment = 'policy') =>
  replica(number, {
    metadata: {
      name: `policy-${number}`,
      uid: `uid-${number}`,
      labels: { 'pod-template-hash': hash },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `${deployment}-${hash}`,
          uid: hash,
          controller: true,
        },
      ],
    },
  });
const words = 'failed calling webhook "policy.example.com": failed to call webhook: an error on the server';

describeCheck(replicasDisagree, {
  reports: [
    {
      name: 'two versions',
      facts: tried([allows, denies('no')], { pods: [image(1, 'policy:1'), image(2, 'policy:2')] }),
      expect: {
        messageId: 'images',
        confidence: 'observed',
        evidence: 'responds',
        data: {
          others: 'Pod policy-2',
          detail: 'denies the test object (no)',
          bad: 1,
          total: 2,
          images: 'policy:2',
          revisions: 'abc',
          node: 'n1',
          owner: 'Deployment policy',
        },
      },
    },
    {
      name: 'two templates with one image: a rollout half-way',
      facts: tried([allows, http(503, 'x')], { pods: [ofTemplate(1, 'abc'), ofTemplate(2, 'def')] }),
      expect: { messageId: 'revision' },
    },
    {
      name: 'Pods of another Deployment',
      facts: tried([allows, http(503, 'x')], {
        pods: [ofTemplate(1, 'abc'), ofTemplate(2, 'abc', 'canary')],
      }),
      expect: { messageId: 'workload', names: { affected: 'deployment/canary' } },
    },
    {
      name: 'a Pod that is young',
      facts: tried([allows, http(500, 'x')], {
        pods: [
          replica(1),
          replica(2, { metadata: { name: 'policy-2', uid: 'uid-2', creationTimestamp: takenAt } }),
        ],
      }),
      expect: { messageId: 'young' },
    },
    {
      name: 'one node',
      facts: tried([allows, http(500, 'x')], { pods: [onNode(1, 'n1'), onNode(2, 'n2')] }),
      expect: { messageId: 'node' },
    },
    {
      name: 'two of three',
      facts: tried([allows, http(500, 'x'), http(500, 'x')]),
      expect: {
        messageId: 'unexplained',
        data: {
          others: 'Pods policy-2 and policy-3',
          detail: 'fail (an error on the server ("x") has prevented the request from succeeding)',
          bad: 2,
          total: 3,
          images: '',
          revisions: 'abc',
          node: 'n1',
          owner: 'Deployment policy',
        },
      },
    },
    {
      name: 'what nothing explains',
      facts: tried([allows, http(404, 'x'), allows]),
      expect: { messageId: 'unexplained' },
    },
  ],
  reportsNothing: [
    ...quiet,
    { name: 'all deny', facts: tried([denies('no'), denies('no')]), outcome: 'pass' },
    { name: 'all fail in one way', facts: tried([http(500, words), http(500, words)]), outcome: 'pass' },
    { name: 'one does not listen', facts: tried([allows, refused]), outcome: 'pass' },
    {
      name: 'a Lease explains it',
      facts: tried([allows, denies('no')], { facts: leases(lease('policy-1_x')) }),
    },
  ],
  isUnknown: blind,
});
