import { addReadinessProbe } from '../../../src/remedies/pod-template/add-readiness-probe.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { containing, withoutContainer } from '../../support/serving-workload.ts';
import { healthy } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const helm = { 'meta.helm.sh/release-name': 'acme', 'meta.helm.sh/release-namespace': 'shop' };
const elsewhere = { httpGet: { path: '/readyz', port: 8081 }, periodSeconds: 3 };

describeRemedy(addReadinessProbe, {
  plans: [
    {
      name: 'it in the container that has the port',
      facts: healthy({ workloads: containing({}) }),
      expect: {
        edits: [
          {
            object: { kind: 'Deployment', namespace: 'shop', name: 'policy' },
            operation: 'patch',
            path: '/spec/template/spec/containers/1/readinessProbe',
            expected: undefined,
            after: { tcpSocket: { port: 8443 }, periodSeconds: 5 },
          },
        ],
        warns: [/All its Pods are replaced/],
      },
    },
    {
      name: 'a patch for the owner if another manager declares the workload',
      facts: healthy({ workloads: containing({}, {}, { annotations: helm }) }),
      expect: {
        edits: [],
        print: /containers:\n +- name: webhook\n +readinessProbe:\n +tcpSocket:\n +port: 8443/,
        warns: [/Helm release shop\/acme/],
      },
    },
    {
      name: 'the one that asks another port, moved to this one',
      facts: healthy({ workloads: containing({ readinessProbe: elsewhere }) }),
      expect: {
        edits: [
          {
            object: { kind: 'Deployment', namespace: 'shop', name: 'policy' },
            operation: 'patch',
            path: '/spec/template/spec/containers/1/readinessProbe',
            expected: elsewhere,
            after: { tcpSocket: { port: 8443 }, periodSeconds: 3 },
          },
        ],
        warns: [/Port 8081 is no longer probed/],
      },
    },
    {
      name: 'a patch that takes the other handler away, for a strategic merge keeps it',
      facts: healthy({ workloads: containing({ readinessProbe: elsewhere }, {}, { annotations: helm }) }),
      expect: {
        edits: [],
        print: /readinessProbe:\n +httpGet: null\n +tcpSocket:\n +port: 8443\n$/,
      },
    },
  ],
  refuses: [
    {
      name: 'one beside a command',
      facts: healthy({ workloads: containing({ readinessProbe: { exec: { command: ['true'] } } }) }),
      because: /can have only one/,
    },
  ],
  doesNotFit: [
    {
      name: 'the port has a probe',
      facts: healthy({ workloads: containing({ readinessProbe: { httpGet: { port: 8443 } } }) }),
    },
    {
      name: 'the port has a probe, by its name',
      facts: healthy({
        workloads: containing({
          ports: [{ name: 'https', containerPort: 8443 }],
          readinessProbe: { tcpSocket: { port: 'https' } },
        }),
      }),
    },
    ...withoutContainer,
  ],
  isUnknown: [{ name: 'the workloads could not be read', facts: healthy({ workloads: forbidden() }) }],
});
